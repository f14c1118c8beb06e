import { readBinary } from '../support/binary';
import { runNode } from '../support/n8n';
import { BINARY_MODES } from '../support/profiles';
import type { Profile } from '../support/serviceContract';
import { useVirtualService } from '../support/useVirtualService';

const EMPTY = { type: 'empty' } as const;

describe.each(BINARY_MODES)('an empty answer, with files in %s', (binaryMode) => {
	const mergeAs = (profile: Profile, downloadUrlField: string) => {
		const used = useVirtualService({ profile });
		const merge = async () => {
			const [{ id }] = used.client.workflow.collections;
			await used.service.control.seed({ documents: 1, collection: id });
			return await used.time.run(
				runNode({
					credential: used.service.credential(),
					binaryMode,
					parameters: {
						resource: 'collection',
						operation: 'merge',
						collection: { __rl: true, mode: 'id', value: id },
						options: { downloadUrlField },
					},
				}),
			);
		};
		return { used, merge };
	};

	describe('in place of a merged PDF', () => {
		const { used, merge } = mergeAs('atlas', '');

		it('is none, and the user learns that it may be made all the same', async () => {
			await used.service.control.faults([
				{ match: { operation: 'merge', times: 1 }, fault: EMPTY },
			]);

			const { error, output } = await merge();

			expect(output).toEqual([]);
			expect(error?.message).toBe(
				'The response of the service is incomplete or not in the expected form (200)',
			);
			expect(error?.description).toContain('The outcome is unknown');
			expect(await used.service.control.requests('merge')).toHaveLength(1);
		});
	});

	describe('in place of a download', () => {
		const { used, merge } = mergeAs('borealis', 'href');

		it('is downloaded again', async () => {
			await used.service.control.faults([
				{ match: { operation: 'downloadMerged', times: 1 }, fault: EMPTY },
			]);

			const { error, output } = await merge();

			expect(error).toBeUndefined();
			expect(String(await readBinary(output[0], 'data'))).toMatch(/^%PDF/);
			expect(await used.service.control.requests('downloadMerged')).toHaveLength(2);
		});
	});
});
