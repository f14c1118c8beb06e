import type { INodeParameters } from 'n8n-workflow';
import { DocumentExtractionApi } from '../../credentials/DocumentExtractionApi.credentials';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { useService } from '../support/useService';
import { nameOf } from './scenarios';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const byName = (value: string) => ({ __rl: true, mode: 'name', value });

/** What operations need besides a file. */
const NEEDED: Record<string, INodeParameters> = {
	'collection.merge': { collection: byId('7d0c1f2e-5a4b-4c3d-9e8f-0a1b2c3d4e5f') },
	'document.confirmUpload': { documentIds: 'doc_1' },
	'document.createUploadUrl': { fileName: 'letter.txt', contentType: 'text/plain' },
	'extraction.extractDocuments': { documentIds: 'doc_1' },
	'extraction.extractOne': { documentId: 'doc_1' },
};

/** What the window of the credential has to be told before it shows a field. */
function switchFor(field: string): string {
	const { properties } = new DocumentExtractionApi();
	const shown = properties.find(({ name }) => name === field)?.displayOptions?.show ?? {};
	const [switchName] = Object.keys(shown);
	const label = properties.find(({ name }) => name === switchName)?.displayName;
	return switchName ? `, switch on '${label}'` : '';
}

describe('before anything is sent', () => {
	const used = useService({ profile: 'atlas' });

	const refusal = async (name: string, parameters: INodeParameters = {}, credential = {}) => {
		const [resource, operation] = name.split('.');
		const { error } = await used.run(
			{ resource, operation, ...NEEDED[name], ...parameters },
			{ credential, items: [await binaryItem({ files: { data: textFile('letter.txt') } })] },
		);
		expect(await used.control.requests()).toEqual([]);
		return { message: error?.message ?? 'no error', description: error?.description ?? '' };
	};

	const DIRECT = { uploadMethod: 'direct' };
	const SIGNED = { uploadMethod: 'signed' };

	describe('an empty API Detail is named, with what to copy there', () => {
		it.each([
			['document.upload', DIRECT, 'uploadFileField', 'Upload File Field'],
			['document.upload', SIGNED, 'uploadUrlEndpoint', 'Upload URL Endpoint'],
			['document.upload', SIGNED, 'uploadUrlField', 'Upload URL Field'],
			['document.upload', SIGNED, 'confirmMethod', 'Confirm Method'],
			['document.upload', SIGNED, 'confirmBody', 'Confirm Body'],
			['extraction.extractFromFiles', DIRECT, 'uploadFileField', 'Upload File Field'],
			['extraction.extractFromFiles', SIGNED, 'uploadUrlEndpoint', 'Upload URL Endpoint'],
			['extraction.extractFromFiles', SIGNED, 'confirmBody', 'Confirm Body'],
			['document.createUploadUrl', {}, 'uploadUrlEndpoint', 'Upload URL Endpoint'],
			['document.createUploadUrl', {}, 'uploadUrlField', 'Upload URL Field'],
			['document.confirmUpload', {}, 'confirmMethod', 'Confirm Method'],
			['document.confirmUpload', {}, 'confirmBody', 'Confirm Body'],
			['workflow.get', {}, 'workflowEndpoint', 'Workflow Endpoint'],
			['workflow.waitUntilExtracted', {}, 'workflowEndpoint', 'Workflow Endpoint'],
		])('%s %j: %s', async (operation, parameters, detail, label) => {
			const { message, description } = await refusal(operation, parameters, { [detail]: ' ' });

			expect(message).toBe(
				`The credential's field '${label}' is empty, and this operation needs it`,
			);
			const [way, where] = description.split(
				' Or look at this part of your API reference, or ask your account team about it: ',
			);
			expect(way).toBe(
				`Open the credential${switchFor(detail)} and fill in '${label}'. Workflow › Check Setup says what to enter.`,
			);
			expect(where).toMatch(/^the .+ › .+\.$/);
		});
	});

	describe('an API Detail that cannot be right is named, with its mistake', () => {
		const ENDPOINT_FORM = 'is not of the form METHOD /path';

		it.each([
			['workflow.get', {}, 'workflowEndpoint', '/workflows/{workflow_id}', ENDPOINT_FORM],
			['workflow.get', {}, 'workflowEndpoint', 'GET /workflows/{workflow_id}/..', ENDPOINT_FORM],
			...[
				'POST /workflows/{workflow_id}/extract',
				'POST /api/v1/workflows/{workflow_id}/extract/',
				'POST /workflows//{workflow_id}/Extract?force=true',
				'POST /workflows/wf_other/%65xtract',
				'POST /workflows/{workflow_id}%2Fextract',
				'PUT /workflows/{workflow_id}/extract',
				'POST /workflows/{workflow_id}/documents',
				'POST /workflows/{workflow_id}/documents/doc_1/extract',
				'POST /workflows/{workflow_id}/documents/confirm',
				'POST /workflows/{workflow_id}/extractions',
				'POST /workflows/{workflow_id}/collections/c_1/merged-document',
			].map(
				(value) =>
					[
						'workflow.waitUntilExtracted',
						{},
						'workflowEndpoint',
						value,
						'does not read the workflow, but changes something at the service',
					] as const,
			),
			[
				'workflow.get',
				{},
				'workflowEndpoint',
				'GET https://elsewhere.example/{workflow_id}',
				"the address in 'Base URL'",
			],
			[
				'workflow.get',
				{},
				'workflowEndpoint',
				'GET /workflows/{id}',
				'contains {id}, which is not a placeholder here. Known placeholders: {workflow_id}',
			],
			[
				'document.upload',
				SIGNED,
				'uploadUrlEndpoint',
				'POST /documents/{document_id}/url',
				'contains {document_id}, which is not a placeholder here',
			],
			...['extract', 'documents', 'documents/confirm'].map(
				(path) =>
					[
						'document.createUploadUrl',
						{ fileName: 'a.pdf' },
						'uploadUrlEndpoint',
						`POST /workflows/{workflow_id}/${path}`,
						'does not return an upload URL: it uploads, confirms, extracts or merges',
					] as const,
			),
			...(['workflowEndpoint', 'uploadUrlEndpoint'] as const).map(
				(detail) =>
					[
						detail === 'workflowEndpoint' ? 'workflow.get' : 'document.upload',
						SIGNED,
						detail,
						'GET /workflows/b56dbce7-11/status',
						"contains 'b56dbce7-11', which is not the credential's Service Workflow ID. Enter {workflow_id} in its place",
					] as const,
			),
			[
				'document.upload',
				SIGNED,
				'uploadUrlEndpoint',
				'PUT /upload-slots/b56dbce7-5a4b-4c3d-9e8f-0a1b2c3d4e5f',
				"which is not the credential's Service Workflow ID",
			],
			['document.upload', SIGNED, 'uploadUrlBody', '{"name": "{name}"}', 'contains {name}'],
			['document.upload', SIGNED, 'uploadUrlBody', '{"size": {file_size}}', 'is not valid JSON'],
			[
				'document.upload',
				SIGNED,
				'uploadUrlBody',
				'"{file_name}"',
				'must be a JSON object or list',
			],
			[
				'document.upload',
				SIGNED,
				'confirmBody',
				'{"done": true}',
				'does not mention {document_id}',
			],
			['document.upload', SIGNED, 'confirmBody', '["{document_id}"', 'is not valid JSON'],
			['document.confirmUpload', {}, 'confirmBody', '{"id": "{id}"}', 'contains {id}'],
			['document.upload', SIGNED, 'uploadUrlField', 'a..b', 'is neither a field name nor a path'],
			['document.upload', SIGNED, 'documentIdField', 'a b', 'is neither a field name nor a path'],
			['document.upload', DIRECT, 'documentIdField', '[0]', 'is neither a field name nor a path'],
		] as const)('%s %j: %s %j', async (operation, parameters, detail, value, mistake) => {
			const { message } = await refusal(operation, parameters, { [detail]: value });

			expect(message).toMatch(/^The credential's field '[A-Z][\w ]+' /);
			expect(message).toContain(mistake);
		});
	});

	describe('an entry that cannot be right is named', () => {
		it.each([
			...['extraction.getAll', 'document.getAll'].flatMap((operation) =>
				[0, -1, 1.5, '={{ NaN }}', '={{ "many" }}'].map(
					(limit) =>
						[operation, { limit }, "'Limit' must be a whole number of at least 1"] as const,
				),
			),
			['extraction.extractOne', { documentId: ' ' }, "'Document ID' is empty"],
			[
				'extraction.extractOne',
				{ documentId: '={{ undefined }}' },
				"The expression in 'Document ID' gives nothing",
			],
			['extraction.extractOne', { documentId: '..' }, "'Document ID' is not an ID"],
			['extraction.extractOne', { documentId: ' . ' }, "'Document ID' is not an ID"],
			['extraction.extractOne', { options: { body: '{key: 1}' } }, "'Body' is not valid JSON"],
			['extraction.extractOne', { options: { body: '7' } }, "'Body' must be a JSON object or list"],
			[
				'extraction.extractDocuments',
				{ documentIds: '={{ [] }}' },
				"The expression in 'Document IDs' gives nothing",
			],
			['extraction.extractDocuments', { documentIds: ' , ' }, "'Document IDs' gives nothing"],
			...[{ documentIdFilter: '={{ $json.id }}' }, { documentIdFilter: '={{ " " }}' }].map(
				(filter) =>
					['extraction.getAll', filter, "The expression in 'Document ID' gives nothing"] as const,
			),
			...[
				'document.confirmUpload',
				'document.createUploadUrl',
				'document.upload',
				'extraction.extractDocuments',
				'extraction.extractFromFiles',
				'extraction.getAll',
			].flatMap((operation) =>
				[byId('={{ $json.deal }}'), '={{ $json.deal }}'].map(
					(collection) =>
						[operation, { collection }, "The expression in 'Collection' gives nothing"] as const,
				),
			),
			[
				'document.upload',
				{ collection: byName('={{ " " }}') },
				"The expression in 'Collection' gives nothing",
			],
			...['collection.merge', 'extraction.extractDocuments', 'extraction.getAll'].map(
				(operation) =>
					[
						operation,
						{ collection: byName('Loan file 4711') },
						"'Collection' must be chosen by ID here",
					] as const,
			),
			...['extraction.extractDocuments', 'extraction.extractFromFiles'].flatMap((operation) =>
				['={{ $json.columns }}', '={{ [] }}', ['={{ $json.column }}']].map(
					(columnIds) =>
						[
							operation,
							{ force: true, options: { columnIds } },
							"The expression in 'Column Names or IDs' gives nothing",
						] as const,
				),
			),
			[
				'document.confirmUpload',
				{ documentIds: '={{ undefined }}' },
				"The expression in 'Document IDs' gives nothing",
			],
			[
				'document.confirmUpload',
				{ documentIds: '={{ [" "] }}' },
				"The expression in 'Document IDs' gives nothing",
			],
			[
				'document.createUploadUrl',
				{ fileName: '={{ undefined }}' },
				"The expression in 'File Name' gives nothing",
			],
			[
				'document.createUploadUrl',
				{ contentType: '={{ undefined }}' },
				"The expression in 'Content Type' gives nothing",
			],
			[
				'document.upload',
				{ binaryPropertyName: ' , ' },
				"'Input Data Field Name' is empty, or its expression gives nothing",
			],
			[
				'collection.merge',
				{ collection: byId('={{ undefined }}') },
				"The expression in 'Collection' gives nothing",
			],
			['collection.merge', { collection: byId('..') }, "'Collection' is not an ID"],
			[
				'collection.merge',
				{ binaryPropertyName: '={{ undefined }}' },
				"The expression in 'Output Data Field Name' gives nothing",
			],
			['collection.merge', { options: { labelOrder: '[1' } }, "'Label Order' is not valid JSON"],
			[
				'collection.merge',
				{ options: { downloadUrlField: 'a..b' } },
				"'Download URL Field' is neither a field name nor a path",
			],
			...OPERATIONS.map(nameOf).flatMap((operation) => [
				[
					operation,
					{ options: { workflowId: '={{ $json.workflow }}' } },
					"The expression in 'Service Workflow ID' gives nothing",
				] as const,
				[
					operation,
					{ options: { workflowId: '..' } },
					"'Service Workflow ID' is not the ID of a workflow at the extraction service",
				] as const,
				[
					operation,
					{ options: { maxConcurrency: '={{ "many" }}' } },
					"'Max Concurrency' must be a number of at least 1",
				] as const,
			]),
			[
				'document.upload',
				{ uploadMethod: '={{ "Signed URL" }}' },
				"'Upload Method' must be Automatic, Direct or Signed URL (in an expression: automatic, direct or signed)",
			] as const,
			...['document.upload', 'extraction.extractFromFiles'].flatMap((operation) =>
				[
					['signedFromMb', 'Signed URL From Size (MB)'],
					['minFileSizeMb', 'Min File Size (MB)'],
					['maxFileSizeMb', 'Max File Size (MB)'],
				].map(
					([option, label]) =>
						[
							operation,
							{ options: { [option]: '={{ "large" }}' } },
							`'${label}' must be a number of at least 0`,
						] as const,
				),
			),
			...[
				'extraction.extractFromFiles',
				'extraction.extractDocuments',
				'workflow.waitUntilExtracted',
			].flatMap((operation) => [
				[
					operation,
					{ wait: true, options: { maxWait: '={{ "long" }}' } },
					"'Max Wait (Seconds)' must be a number of at least 1",
				] as const,
				[
					operation,
					{ wait: true, options: { settleTime: -1 } },
					"'Settle Time (Seconds)' must be a number of at least 0",
				] as const,
			]),
			...[0, -2, 1.5, '={{ "all" }}'].map(
				(documentsPerCall) =>
					[
						'extraction.extractDocuments',
						{ options: { documentsPerCall } },
						"'Documents per Call' must be a whole number of at least 1",
					] as const,
			),
		] as Array<[string, INodeParameters, string]>)(
			'%s %j',
			async (operation, parameters, mistake) => {
				const { message } = await refusal(operation, parameters);

				expect(message).toContain(mistake);
			},
		);

		it.each([
			['={{ $json.none }}', 'switch the field to Fixed and clear it, or remove the option'],
			[' , ', 'clear the field;'],
		])('and how to clear it, if that is meant: %j', async (documentIds, how) => {
			const { description } = await refusal('extraction.extractDocuments', { documentIds });

			expect(description).toContain(`If you want everything in the workflow, ${how}`);
		});

		it('and so is an operation that the node does not have', async () => {
			const { message } = await refusal('document.shred');

			expect(message).toBe("The node has no operation 'shred' for 'document'");
		});
	});

	describe('a Workflow Endpoint by which to wait is missed', () => {
		const ALL_DOCUMENTS = { documentIds: '', wait: true };

		it.each([
			['extraction.extractDocuments', ALL_DOCUMENTS, '', 'is empty'],
			['extraction.extractDocuments', ALL_DOCUMENTS, 'nowhere', 'is not of the form'],
			['extraction.extractDocuments', { wait: true }, 'nowhere', 'is not of the form'],
			['extraction.extractFromFiles', {}, 'nowhere', 'is not of the form'],
		])('%s %j: %j', async (operation, parameters, workflowEndpoint, mistake) => {
			const { message } = await refusal(operation, parameters, {
				finishedStatuses: '',
				workflowEndpoint,
			});

			expect(message).toContain(`The credential's field 'Workflow Endpoint' ${mistake}`);
		});
	});

	describe('a credential that cannot be right is named', () => {
		it.each([
			[{ workflowId: ' ' }, "The credential's 'Service Workflow ID' is empty"],
			// The one that n8n shows in the editor's address.
			[{ workflowId: 'workflow-id' }, "'Service Workflow ID' is the ID of this workflow in n8n"],
			[{ baseUrl: '' }, "The credential's 'Base URL' is empty"],
			[{ baseUrl: 'http://api.example.com' }, 'must begin with https://'],
			[{ baseUrl: 'https://api.example.com/?a=b' }, 'must be an address that begins with https'],
			[{ apiKey: '' }, "The credential's 'API Key' is empty"],
			[{ apiKey: 'abc_live_0123' }, "is a live key, but its 'Environment' is test"],
			[{ apiKey: 'abc_0123' }, 'is neither a test key (…_test_…) nor a live key (…_live_…)'],
			[{ apiKey: 'abc_test_ü' }, 'or another character that no key has'],
		])('%j', async (credential, mistake) => {
			const messages = await Promise.all(
				['extraction.getAll', 'document.upload'].map(
					async (operation) => (await refusal(operation, {}, credential)).message,
				),
			);

			for (const message of messages) expect(message).toContain(mistake);
		});
	});
});

describe('IDs with characters that mean something in addresses', () => {
	const used = useService({ profile: 'cobalt' });
	const ID = ' a/b?c#d%2f..&e=ü ';
	const ENCODED = 'a%2Fb%3Fc%23d%252f..%26e%3D%C3%BC';

	const pathsOf = async (parameters: INodeParameters) => {
		await used.run(parameters, {
			items: [await binaryItem({ files: { data: textFile('letter.txt') } })],
		});
		return (await used.control.requests()).map(({ path }) => path);
	};

	it.each([
		['extraction.extractOne', { documentId: ID }, `/documents/${ENCODED}/extract`],
		['collection.merge', { collection: byId(ID) }, `/collections/${ENCODED}/merged-document`],
	])('reach the service as they are: %s', async (name, parameters, path) => {
		const [resource, operation] = name.split('.');

		const paths = await pathsOf({ resource, operation, ...parameters });

		expect(paths).toEqual([`/api/v1/workflows/${used.client.workflow.id}${path}`]);
	});

	it('reach the service as they are in a filter', async () => {
		await pathsOf({ resource: 'extraction', operation: 'getAll', documentIdFilter: ID });

		const [{ query }] = await used.control.requests();
		expect(query.document_id).toBe(ID.trim());
	});

	it.each([
		['document.upload', `/workflows/${ENCODED}/documents`],
		['document.getAll', `/workflows/${ENCODED}/documents`],
		['extraction.getAll', `/workflows/${ENCODED}/extractions`],
		['extraction.extractDocuments', `/workflows/${ENCODED}/extract`],
		['document.confirmUpload', `/workflows/${ENCODED}/documents/confirm`],
		['workflow.get', `/describe/workflow/${ENCODED}`],
	])('reach the service as they are when they name a workflow: %s', async (name, path) => {
		const [resource, operation] = name.split('.');

		const paths = await pathsOf({
			resource,
			operation,
			...NEEDED[name],
			options: { workflowId: ID },
		});

		expect(paths).toEqual([`/api/v1${path}`]);
	});
});
