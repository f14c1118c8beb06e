import { logOf } from './support/log';
import { useVirtualService } from './support/useService';

/** What tests of the node would not notice if it were missing. */
describe('the engine of the tests', () => {
	const used = useVirtualService();
	const list = async (workflowId: string, credential?: object) =>
		await used.run(
			{ resource: 'extraction', operation: 'getAll', options: { workflowId } },
			{ credential },
		);

	it('is in the realm of Node.js itself, where what Node.js throws is an Error', () => {
		const stop = AbortSignal.abort();

		expect(() => stop.throwIfAborted()).toThrow(Error);
		expect(stop.reason instanceof Error).toBe(true);
		expect(stop.reason instanceof TypeError).toBe(false);
	});

	it('has the log of n8n itself and of the node, for the action and no other', async () => {
		await list('earlier-list');

		const log = await logOf(async () => await list('during'));

		expect(log.map(({ message }) => message)).toContain(
			'Running node "Document Extraction" started',
		);
		expect(JSON.stringify(log)).not.toContain('earlier-list');
	});

	it('opens no connection by TLS either', async () => {
		const { error } = await list('w', { baseUrl: 'https://nowhere.invalid' });

		expect(error?.description).toContain('ENOTFOUND');
	});
});
