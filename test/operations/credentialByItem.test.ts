import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	IPairedItemData,
} from 'n8n-workflow';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { startService, type Service } from '../support/service';

const LETTER = textFile('letter.txt', 'Invoice number: 1\n');

const { createSecureContext } = tls;

const ENVIRONMENTS = ['test', 'live'] as const;

describe('a credential whose fields differ by item', () => {
	// The live environment takes no address that is not encrypted.
	const used = {} as { service: Service };

	beforeAll(async () => {
		used.service = await startService({
			profile: 'cobalt',
			extractionMs: 20,
			startMs: 5,
			tls: true,
		});
		// Node.js takes no further authority once it runs, unless it is given to each connection.
		const authority = readFileSync(String(used.service.caFile));
		tls.createSecureContext = (options) => {
			const trusting = createSecureContext(options);
			trusting.context.addCACert(authority);
			return trusting;
		};
	});
	beforeEach(async () => await used.service.control.reset());
	afterAll(async () => {
		tls.createSecureContext = createSecureContext;
		await used.service.stop();
	});

	const itemOf = async (json: IDataObject) => await binaryItem({ json, files: { data: LETTER } });

	const run = async (
		items: INodeExecutionData[],
		parameters: INodeParameters,
		settings: RunOptions = {},
	) =>
		await runNode({ credential: used.service.credentialByItem(), parameters, items, ...settings });

	/** Which environments a request to the service speaks of: by its key, its path, its body and its answer. */
	const environmentsSeen = async () =>
		(await used.service.control.requests())
			.filter(({ server }) => server === 'api')
			.map((request) =>
				ENVIRONMENTS.filter((environment) => {
					const { apiKey, workflowId } = used.service.owner(environment);
					const text = JSON.stringify(request);
					return text.includes(apiKey) || text.includes(workflowId);
				}).join(' and '),
			);

	it.each<[string, INodeParameters]>([
		['upload', { resource: 'document', operation: 'upload', uploadMethod: 'direct' }],
		['upload', { resource: 'document', operation: 'upload', uploadMethod: 'signed' }],
		[
			'extract from files',
			{ resource: 'extraction', operation: 'extractFromFiles', options: { settleTime: 0.1 } },
		],
		[
			'extract documents',
			{
				resource: 'extraction',
				operation: 'extractDocuments',
				documentIds: '={{ $json.documentId }}',
				wait: true,
				options: { settleTime: 0.1 },
			},
		],
		['read extractions', { resource: 'extraction', operation: 'getAll', returnAll: true }],
	])('is used for its own item alone: %s %#', async (_, parameters) => {
		const owners = [...ENVIRONMENTS, 'test' as const].map(used.service.owner);
		const items = await Promise.all(
			owners.map(async (owner) => {
				const seeded = await used.service.control.seed({
					documents: 1,
					workflow: owner.workflowId,
				});
				return await itemOf({ ...owner, documentId: seeded.documentIds[0] });
			}),
		);
		await used.service.control.clearRequests();

		const { error, output } = await run(items, parameters);

		expect(error).toBeUndefined();
		const itemsOf = output.map(({ pairedItem }) => (pairedItem as IPairedItemData).item);
		expect([...new Set(itemsOf)]).toEqual([0, 1, 2]);
		expect(new Set(await environmentsSeen())).toEqual(new Set(ENVIRONMENTS));
	});

	it('may be wrong for the first item: the others go on', async () => {
		const items = await Promise.all([
			itemOf({ ...used.service.owner('test'), apiKey: '' }),
			itemOf(used.service.owner('live')),
			itemOf(used.service.owner('test')),
		]);

		const { output, errorOutput } = await run(
			items,
			{ resource: 'document', operation: 'upload', uploadMethod: 'direct' },
			{ onError: 'continueErrorOutput' },
		);

		expect(errorOutput.map(({ json }) => json.error)).toEqual([
			expect.stringContaining("The credential's 'API Key' is empty"),
		]);
		expect(output).toHaveLength(2);
		expect((await environmentsSeen()).sort()).toEqual(['live', 'test']);
	});

	it('may be wrong for a later item: no file is sent', async () => {
		const items = await Promise.all([
			itemOf(used.service.owner('test')),
			itemOf({ ...used.service.owner('live'), environment: 'test' }),
		]);

		const { error } = await run(items, {
			resource: 'document',
			operation: 'upload',
			uploadMethod: 'direct',
		});

		expect(error?.message).toContain('live key');
		expect(await environmentsSeen()).toEqual([]);
	});
});
