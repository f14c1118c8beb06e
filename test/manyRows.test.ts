import { runNode } from './support/n8n';
import { startService, type Service } from './support/service';

/** More than JavaScript takes as the arguments of one call. */
const ROWS = 150_000;

describe('a list of very many results', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService();
	});

	afterAll(async () => await service.stop());

	it('is returned whole', async () => {
		const { documentIds } = await service.control.seed({ documents: ROWS });

		const { output, error } = await runNode({
			credential: service.credential(),
			parameters: { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false },
			items: [{ json: {} }],
		});

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json.document_id)).toEqual(documentIds);
	}, 120_000);
});
