import type { INodeParameters } from 'n8n-workflow';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { itemsWith } from '../support/binary';
import { textFile } from '../support/files';
import { useService } from '../support/useService';
import { nameOf } from './scenarios';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const byName = (value: string) => ({ __rl: true, mode: 'name', value });

const NAMES = OPERATIONS.map(nameOf);

/** What operations need besides a file. */
const NEEDED: Record<string, INodeParameters> = {
	'collection.merge': { collection: byId('7d0c1f2e-5a4b-4c3d-9e8f-0a1b2c3d4e5f') },
	'document.confirmUpload': { documentIds: 'doc_1' },
	'document.createUploadUrl': { fileName: 'letter.txt', contentType: 'text/plain' },
	'extraction.extractDocuments': { documentIds: 'doc_1' },
	'extraction.extractOne': { documentId: 'doc_1' },
};

const used = useService({ profile: 'atlas' });

describe('before anything is sent', () => {
	const refusal = async (name: string, parameters: INodeParameters = {}, credential = {}) => {
		const [resource, operation] = name.split('.');
		const { error } = await used.run(
			{ resource, operation, ...NEEDED[name], ...parameters },
			{ credential, items: await itemsWith(textFile('letter.txt')) },
		);
		expect(await used.control.requests()).toEqual([]);
		return { message: error?.message ?? 'no error', description: error?.description ?? '' };
	};

	const NO_LINE = "'API Details' in the credential has no line 'Workflow Endpoint'";
	const SIGNED = { options: { uploadMethod: 'signed' } };

	it.each([
		['document.upload', {}, 'uploadFileField', 'Upload File Field'],
		['extraction.extractFromFiles', {}, 'uploadFileField', 'Upload File Field'],
		['document.createUploadUrl', {}, 'uploadUrlEndpoint', 'Upload URL Endpoint'],
		['document.upload', SIGNED, 'uploadUrlField', 'Upload URL Field'],
		['document.confirmUpload', {}, 'confirmMethod', 'Confirm Method'],
		['extraction.extractFromFiles', SIGNED, 'confirmBody', 'Confirm Body'],
		['workflow.get', {}, 'workflowEndpoint', 'Workflow Endpoint'],
		['workflow.waitUntilExtracted', {}, 'workflowEndpoint', 'Workflow Endpoint'],
	])('an empty API Detail is named: %s %j: %s', async (operation, parameters, detail, label) => {
		const { message, description } = await refusal(operation, parameters, { [detail]: ' ' });

		expect(message).toBe(
			`'API Details' in the credential has no line '${label}', and this step needs it`,
		);
		expect(description).toContain(`add to 'API Details' a line such as '${label}: `);
	});

	it('the endpoint is asked for from which Rows takes the names of columns', async () => {
		const lines = { rows: 'cells: column_id@title = value', workflowEndpoint: ' ' };

		const { message } = await refusal('extraction.extractFromFiles', {}, lines);

		expect(message).toBe(`${NO_LINE}, and this step needs it`);
	});

	describe('an API Detail that cannot be right is named, with its mistake', () => {
		const WRITES = 'does not read the workflow, but changes something at the service';
		const NO_UPLOAD_URL = 'does not return an upload URL: it uploads, confirms, extracts';
		const NO_PATH = 'is neither a field name nor a path';

		it.each([
			...[
				'POST /workflows/{workflow_id}/extract',
				'POST /api/v1/workflows/{workflow_id}/extract/',
				'POST /workflows//{workflow_id}/Extract?force=true',
				'PUT /workflows/{workflow_id}/extract',
				'POST /workflows/{workflow_id}/documents',
				'POST /workflows/{workflow_id}/documents/doc_1/extract',
				'POST /workflows/{workflow_id}/documents/confirm',
				'POST /workflows/{workflow_id}/extractions',
				'POST /workflows/{workflow_id}/collections/c_1/merged-document',
			].map((endpoint) => ['workflowEndpoint', endpoint, WRITES]),
			...['extract', 'documents', 'documents/confirm'].map((path) => [
				'uploadUrlEndpoint',
				`POST /workflows/{workflow_id}/${path}`,
				NO_UPLOAD_URL,
			]),
			['uploadUrlEndpoint', 'POST /documents/{document_id}/url', 'contains {document_id}, which'],
			['uploadUrlBody', '{"name": "{name}"}', 'contains {name}'],
			['uploadUrlBody', '{"size": {file_size}}', 'is not valid JSON'],
			['uploadUrlBody', '"{file_name}"', 'must be a JSON object or list'],
			['confirmBody', '{"done": true}', 'does not mention {document_id}'],
			['confirmBody', '["{document_id}"', 'is not valid JSON'],
			['confirmBody', '{"id": "{id}"}', 'contains {id}'],
			['uploadUrlField', 'a..b', NO_PATH],
			['documentIdField', 'a b', NO_PATH],
		])('%s %j', async (detail, value, mistake) => {
			const operation = detail === 'workflowEndpoint' ? 'workflow.get' : 'document.upload';
			const { message } = await refusal(operation, SIGNED, { [detail]: value });

			expect(message).toMatch(/^The credential's line '[A-Z][\w ]+: /);
			expect(message).toContain(mistake);
		});
	});

	describe('an entry that cannot be right is named', () => {
		const NOTHING = '={{ $json.none }}';
		const nothingIn = (label: string) => `The expression in '${label}' gives nothing`;
		const MAY_NAME_A_COLLECTION = [
			'document.upload',
			'extraction.extractDocuments',
			'extraction.extractFromFiles',
			'extraction.getAll',
		];
		const CONFIRM = 'document.confirmUpload';
		const MAY_NAME_ONE_IN_OPTIONS = [CONFIRM, 'document.createUploadUrl'];
		const COLLECTION_ONLY_BY_ID = [
			'collection.merge',
			'extraction.extractDocuments',
			'extraction.getAll',
		];
		const NO_COLLECTION = "The credential's line 'Confirm Body' has no {collection_";
		const LISTS = ['extraction.getAll', 'document.getAll'];
		const UPLOADS = ['document.upload', 'extraction.extractFromFiles'];
		const EXTRACTS = ['extraction.extractFromFiles', 'extraction.extractDocuments'];
		const WAITS = [...EXTRACTS, 'workflow.waitUntilExtracted'];
		const WHOLE = 'must be a whole number of at least 1';
		const SIZE = 'must be a number of at least 0';

		it.each<[string | string[], INodeParameters, string]>([
			['extraction.extractOne', { documentId: NOTHING }, nothingIn('Document ID')],
			['extraction.extractDocuments', { documentIds: '={{ [] }}' }, nothingIn('Document IDs')],
			['extraction.getAll', { documentIdFilter: NOTHING }, nothingIn('Document ID')],
			['extraction.getAll', { documentIdFilter: '={{ " " }}' }, nothingIn('Document ID')],
			[CONFIRM, { documentIds: NOTHING }, nothingIn('Document IDs')],
			[CONFIRM, { documentIds: '={{ [" "] }}' }, nothingIn('Document IDs')],
			['document.createUploadUrl', { fileName: NOTHING }, nothingIn('File Name')],
			['document.createUploadUrl', { contentType: NOTHING }, nothingIn('Content Type')],
			['document.upload', { collection: byName('={{ " " }}') }, nothingIn('Collection')],
			['collection.merge', { collection: byId(NOTHING) }, nothingIn('Collection')],
			['collection.merge', { binaryPropertyName: NOTHING }, nothingIn('Output Data Field Name')],
			[MAY_NAME_A_COLLECTION, { collection: byId(NOTHING) }, nothingIn('Collection')],
			[MAY_NAME_A_COLLECTION, { collection: NOTHING }, nothingIn('Collection')],
			[
				MAY_NAME_ONE_IN_OPTIONS,
				{ options: { collection: byId(NOTHING) } },
				nothingIn('Collection'),
			],
			[MAY_NAME_ONE_IN_OPTIONS, { options: { collection: NOTHING } }, nothingIn('Collection')],
			...[NOTHING, '={{ [] }}', [NOTHING]].map((columnIds): [string[], INodeParameters, string] => [
				EXTRACTS,
				{ options: { columnIds, force: true } },
				nothingIn('Column Names or IDs'),
			]),
			[NAMES, { options: { workflowId: NOTHING } }, nothingIn('Service Workflow ID')],
			[LISTS, { limit: 0 }, `'Limit' ${WHOLE}`],
			[LISTS, { limit: 1.5 }, `'Limit' ${WHOLE}`],
			[LISTS, { limit: '={{ "many" }}' }, `'Limit' ${WHOLE}`],
			['extraction.extractOne', { documentId: ' ' }, "'Document ID' is empty"],
			['extraction.extractOne', { documentId: ' .. ' }, "'Document ID' is not an ID"],
			['extraction.extractOne', { options: { body: '{key: 1}' } }, "'Body' is not valid JSON"],
			['extraction.extractOne', { options: { body: '7' } }, "'Body' must be a JSON object or list"],
			['extraction.extractDocuments', { documentIds: ' , ' }, "'Document IDs' gives nothing"],
			[EXTRACTS[1], { options: { documentsPerCall: 0 } }, `'Documents per Call' ${WHOLE}`],
			[
				'extraction.extractDocuments',
				{ options: { calls: '={{ "Once" }}' } },
				"'Calls' must be one of: once, perItem",
			],
			[CONFIRM, { options: { collection: byId('c1') } }, `${NO_COLLECTION}id}`],
			[CONFIRM, { options: { collection: byName('Loan') } }, `${NO_COLLECTION}name}`],
			[COLLECTION_ONLY_BY_ID, { collection: byName('Loan') }, "'Collection' must be chosen by ID"],
			['collection.merge', { collection: byId('..') }, "'Collection' is not an ID"],
			['collection.merge', { options: { labelOrder: '[1' } }, "'Label Order' is not valid JSON"],
			[
				'collection.merge',
				{ options: { downloadUrlField: 'a..b' } },
				"'Download URL Field' is neither a field name nor a path",
			],
			['document.upload', { binaryPropertyName: ' , ' }, "'Input Data Field Name' is empty, or "],
			[
				'document.upload',
				{ options: { uploadMethod: '={{ "Signed URL" }}' } },
				"'Upload Method' must be one of: automatic, direct, signed",
			],
			[UPLOADS, { options: { signedFromMb: '={{ "large" }}' } }, SIZE],
			[UPLOADS, { options: { minFileSizeMb: '={{ "large" }}' } }, SIZE],
			[UPLOADS, { options: { maxFileSizeMb: '={{ "large" }}' } }, SIZE],
			[WAITS, { wait: true, options: { maxWait: '={{ "long" }}' } }, "'Max Wait (Seconds)' must"],
			[WAITS, { wait: true, options: { settleTime: -1 } }, `'Settle Time (Seconds)' ${SIZE}`],
			[
				NAMES,
				{ options: { workflowId: '..' } },
				"'Service Workflow ID' is not the ID of a workflow at the extraction service",
			],
			[
				NAMES,
				{ options: { maxConcurrency: '={{ "many" }}' } },
				"'Max Concurrency' must be a number from 1 to 100",
			],
		])('%j %j', async (operations, parameters, mistake) => {
			for (const operation of [operations].flat()) {
				const { message } = await refusal(operation, parameters);

				expect([operation, message]).toEqual([operation, expect.stringContaining(mistake)]);
			}
		});

		it.each([
			['={{ $json.none }}', 'switch the field to Fixed and clear it.'],
			[' , ', 'clear the field.'],
		])('and how to clear it, if that is meant: %j', async (documentIds, how) => {
			const { description } = await refusal('extraction.extractDocuments', { documentIds });

			expect(description).toContain(`If you want all documents, ${how}`);
		});

		it('and so is an operation that the node does not have', async () => {
			const { message } = await refusal('document.shred');

			expect(message).toBe("The node has no operation 'shred' for 'document'");
		});
	});

	it.each([
		['extraction.extractDocuments', { documentIds: '', wait: true }, '', NO_LINE],
		['extraction.extractDocuments', { documentIds: '', wait: true }, 'x', 'must be a method'],
		['extraction.extractDocuments', { wait: true }, 'x', 'must be a method'],
		['extraction.extractFromFiles', {}, 'x', 'must be a method'],
	])(
		'a Workflow Endpoint by which to wait is missed: %s %j: %j',
		async (operation, parameters, workflowEndpoint, mistake) => {
			const credential = { finishedStatuses: '', workflowEndpoint };
			const { message } = await refusal(operation, parameters, credential);

			expect(message).toContain(mistake);
			expect(message).toContain("line 'Workflow Endpoint");
		},
	);

	// What else may be wrong with its address and its key: test/credential.test.ts.
	it.each([
		[{ workflowId: ' ' }, "The credential's 'Service Workflow ID' is empty"],
		// The one that n8n shows in the editor's address.
		[{ workflowId: 'workflow-id' }, "'Service Workflow ID' is the ID of this workflow in n8n"],
		[{ baseUrl: '' }, "The credential's 'Base URL' is empty"],
		[{ apiKey: 'abc_live_0123' }, "is a live key, but its 'Environment' is test"],
	])('a credential that cannot be right is named: %j', async (credential, mistake) => {
		for (const operation of ['extraction.getAll', 'document.upload']) {
			const { message } = await refusal(operation, {}, credential);

			expect(message).toContain(mistake);
		}
	});
});

// One segment of a path: test/reliability/fuzz.test.ts.
it('IDs with characters that mean something in addresses reach the service as they are', async () => {
	const id = 'a/b?c#d%2f..&e=ü';

	await used.run({
		resource: 'extraction',
		operation: 'getAll',
		documentIdFilter: ` ${id} `,
		options: { workflowId: ` ${id} ` },
	});

	const [{ path, query }] = await used.control.requests();
	expect(path).toBe('/api/v1/workflows/a%2Fb%3Fc%23d%252f..%26e%3D%C3%BC/extractions');
	expect(query.document_id).toBe(id);
});
