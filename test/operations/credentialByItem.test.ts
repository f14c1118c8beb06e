import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import type { IDataObject, INodeParameters, IPairedItemData, OnError } from 'n8n-workflow';
import { itemsWith } from '../support/binary';
import { textFile } from '../support/files';
import { runNode } from '../support/n8n';
import { startService, type Service } from '../support/service';

const LETTER = textFile('letter.txt', 'Invoice number: 1\n');

const { createSecureContext } = tls;

const ENVIRONMENTS = ['test', 'live'] as const;

describe('a credential whose fields differ by item', () => {
	// The live environment takes no address that is not encrypted.
	const used = {} as { service: Service };

	beforeAll(async () => {
		used.service = await startService({
			profile: 'borealis',
			settings: { extractionMs: 20, startMs: 5 },
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

	const UPLOAD = { resource: 'document', operation: 'upload' };
	const run = async (json: IDataObject[], parameters: INodeParameters, onError?: OnError) =>
		await runNode({
			credential: used.service.credentialByItem(),
			parameters,
			items: (await itemsWith(...json.map(() => LETTER))).map((item, index) => {
				return { ...item, json: json[index] };
			}),
			onError,
		});

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

	const options = { settleTime: 0.1 };
	const documentIds = '={{ $json.documentId }}';

	it.each<INodeParameters>([
		UPLOAD,
		{ ...UPLOAD, options: { uploadMethod: 'signed' } },
		{ resource: 'extraction', operation: 'extractFromFiles', options },
		{ resource: 'extraction', operation: 'extractDocuments', documentIds, wait: true, options },
		{ resource: 'extraction', operation: 'getAll', returnAll: true },
	])('is used for its own item alone: %j', async (parameters) => {
		const owners = [...ENVIRONMENTS, 'test' as const].map(used.service.owner);
		const items = owners.map(async (owner) => {
			const seed = { documents: 1, workflow: owner.workflowId };
			return { ...owner, documentId: (await used.service.control.seed(seed)).documentIds[0] };
		});
		const inputs = await Promise.all(items);
		await used.service.control.clearRequests();

		const { error, output } = await run(inputs, parameters);

		expect(error).toBeUndefined();
		const itemsOf = output.map(({ pairedItem }) => (pairedItem as IPairedItemData).item);
		expect([...new Set(itemsOf)]).toEqual([0, 1, 2]);
		expect(new Set(await environmentsSeen())).toEqual(new Set(ENVIRONMENTS));
	});

	it('may be wrong for the first item: the others go on', async () => {
		const { owner } = used.service;

		const { output, errorOutput } = await run(
			[{ ...owner('test'), apiKey: '' }, owner('live'), owner('test')],
			UPLOAD,
			'continueErrorOutput',
		);

		expect(errorOutput.map(({ json }) => json.error)).toEqual([
			expect.stringContaining("The credential's 'API Key' is empty"),
		]);
		expect(output).toHaveLength(2);
		expect((await environmentsSeen()).sort()).toEqual(['live', 'test']);
	});

	it('may be wrong for a later item: no file is sent', async () => {
		const { owner } = used.service;

		const { error } = await run([owner('test'), { ...owner('live'), environment: 'test' }], UPLOAD);

		expect(error?.message).toContain('live key');
		expect(await environmentsSeen()).toEqual([]);
	});
});
