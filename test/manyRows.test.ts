import { runNode } from './support/n8n';
import { at } from './support/serviceClient';
import { useService } from './support/useService';

/** Together more rows than JavaScript takes as the arguments of one call. */
const DOCUMENTS = 1500;
const ROWS_OF_EACH = 100;

/** What the service writes into each row as its document number: no two are the same. */
const documentNumbers = Array.from(
	{ length: DOCUMENTS },
	(_, index) => `SEED-${index + 1}`,
).flatMap((name) =>
	Array.from({ length: ROWS_OF_EACH }, (_, set) => (set === 0 ? name : `${name}/${set + 1}`)),
);

describe('a list of very many results', () => {
	const used = useService();

	it('is returned whole', async () => {
		await used.service.control.seed({ documents: DOCUMENTS, extractionsPerDocument: ROWS_OF_EACH });

		const { output, error } = await runNode({
			credential: used.service.credential(),
			parameters: { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false },
			items: [{ json: {} }],
		});

		expect(error).toBeUndefined();
		expect(output).toHaveLength(150_000);
		expect(output.map(({ json }) => at(json, 'values.Document number'))).toEqual(documentNumbers);
	}, 120_000);
});
