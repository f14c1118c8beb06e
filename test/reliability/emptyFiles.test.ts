import { readBinary } from '../support/binary';
import { runNode } from '../support/n8n';
import { BINARY_MODES } from '../support/profiles';
import { useService } from '../support/useService';

describe.each(BINARY_MODES)(
	'an empty answer in place of a file, with files in %s',
	(binaryMode) => {
		const atlas = useService({ profile: 'atlas' });
		const borealis = useService({ profile: 'borealis' });

		const merge = async ({ service, client }: typeof atlas, downloadUrlField: string) => {
			const [{ id }] = client.workflow.collections;
			await service.control.seed({ documents: 1, collection: id });
			return await runNode({
				credential: service.credential(),
				binaryMode,
				parameters: {
					resource: 'collection',
					operation: 'merge',
					collection: { __rl: true, mode: 'id', value: id },
					options: { downloadUrlField },
				},
			});
		};

		it('is no merged PDF, and the user learns that it may be made all the same', async () => {
			await atlas.service.control.faults([
				{ match: { operation: 'merge', times: 1 }, fault: { type: 'empty' } },
			]);

			const { error, output } = await merge(atlas, '');

			expect(output).toEqual([]);
			expect(error?.message).toBe(
				'The response of the service is incomplete or not in the expected form (200)',
			);
			expect(error?.description).toContain('The outcome is unknown');
			expect(await atlas.service.control.requests('merge')).toHaveLength(1);
		});

		it('is downloaded again', async () => {
			await borealis.service.control.faults([
				{ match: { operation: 'downloadMerged', times: 1 }, fault: { type: 'empty' } },
			]);

			const { error, output } = await merge(borealis, 'href');

			expect(error).toBeUndefined();
			expect(String(await readBinary(output[0], 'data'))).toMatch(/^%PDF/);
			expect(await borealis.service.control.requests('downloadMerged')).toHaveLength(2);
		});
	},
);
