import type { INodeParameters } from 'n8n-workflow';
import { DocumentExtractionApi } from '../../credentials/DocumentExtractionApi.credentials';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { binaryItem } from '../support/binary';
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

	it.each([
		['document.upload', DIRECT, 'uploadFileField', 'Upload File Field'],
		['extraction.extractFromFiles', DIRECT, 'uploadFileField', 'Upload File Field'],
		['document.createUploadUrl', {}, 'uploadUrlEndpoint', 'Upload URL Endpoint'],
		['document.upload', SIGNED, 'uploadUrlField', 'Upload URL Field'],
		['document.confirmUpload', {}, 'confirmMethod', 'Confirm Method'],
		['extraction.extractFromFiles', SIGNED, 'confirmBody', 'Confirm Body'],
		['workflow.get', {}, 'workflowEndpoint', 'Workflow Endpoint'],
		['workflow.waitUntilExtracted', {}, 'workflowEndpoint', 'Workflow Endpoint'],
	])('an empty API Detail is named: %s %j: %s', async (operation, parameters, detail, label) => {
		const { message, description } = await refusal(operation, parameters, { [detail]: ' ' });

		expect(message).toBe(`The credential's field '${label}' is empty, and this operation needs it`);
		expect(description).toContain(
			`Open the credential${switchFor(detail)} and fill in '${label}'. Workflow › Check Setup says`,
		);
	});

	describe('an API Detail that cannot be right is named, with its mistake', () => {
		it.each([
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
		])('a Workflow Endpoint that writes: %s', async (workflowEndpoint) => {
			const { message } = await refusal('workflow.waitUntilExtracted', {}, { workflowEndpoint });

			expect(message).toContain('does not read the workflow, but changes something at the service');
		});

		it.each(['extract', 'documents', 'documents/confirm'])(
			'an Upload URL Endpoint that does something else: %s',
			async (path) => {
				const uploadUrlEndpoint = `POST /workflows/{workflow_id}/${path}`;
				const { message } = await refusal('document.createUploadUrl', {}, { uploadUrlEndpoint });

				expect(message).toContain('does not return an upload URL: it uploads, confirms, extracts');
			},
		);

		it.each([
			['workflow.get', 'workflowEndpoint', 'GET /workflows/b56dbce7-11/status'],
			['document.upload', 'uploadUrlEndpoint', 'GET /workflows/b56dbce7-11/status'],
			[
				'document.upload',
				'uploadUrlEndpoint',
				'PUT /upload-slots/b56dbce7-5a4b-4c3d-9e8f-0a1b2c3d4e5f',
			],
		])("an ID that is not the credential's: %s, %s %s", async (operation, detail, endpoint) => {
			const { message } = await refusal(operation, SIGNED, { [detail]: endpoint });

			expect(message).toContain("which is not the credential's Service Workflow ID");
		});

		const NO_PATH = 'is neither a field name nor a path';

		it.each([
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
			const { message } = await refusal('document.upload', SIGNED, { [detail]: value });

			expect(message).toMatch(/^The credential's field '[A-Z][\w ]+' /);
			expect(message).toContain(mistake);
		});
	});

	describe('an expression that gives nothing is named', () => {
		const NOTHING = '={{ $json.none }}';
		const COLUMN_IDS = [NOTHING, '={{ [] }}', [NOTHING]];
		const MAY_NAME_A_COLLECTION = [
			'document.confirmUpload',
			'document.createUploadUrl',
			'document.upload',
			'extraction.extractDocuments',
			'extraction.extractFromFiles',
			'extraction.getAll',
		];

		it.each<[string, INodeParameters, string]>([
			['extraction.extractOne', { documentId: NOTHING }, 'Document ID'],
			['extraction.extractDocuments', { documentIds: '={{ [] }}' }, 'Document IDs'],
			['extraction.getAll', { documentIdFilter: NOTHING }, 'Document ID'],
			['extraction.getAll', { documentIdFilter: '={{ " " }}' }, 'Document ID'],
			['document.confirmUpload', { documentIds: NOTHING }, 'Document IDs'],
			['document.confirmUpload', { documentIds: '={{ [" "] }}' }, 'Document IDs'],
			['document.createUploadUrl', { fileName: NOTHING }, 'File Name'],
			['document.createUploadUrl', { contentType: NOTHING }, 'Content Type'],
			['document.upload', { collection: byName('={{ " " }}') }, 'Collection'],
			['collection.merge', { collection: byId(NOTHING) }, 'Collection'],
			['collection.merge', { binaryPropertyName: NOTHING }, 'Output Data Field Name'],
			...MAY_NAME_A_COLLECTION.flatMap((operation) =>
				[byId(NOTHING), NOTHING].map((collection): [string, INodeParameters, string] => [
					operation,
					{ collection },
					'Collection',
				]),
			),
			...['extraction.extractDocuments', 'extraction.extractFromFiles'].flatMap((operation) =>
				COLUMN_IDS.map((columnIds): [string, INodeParameters, string] => [
					operation,
					{ force: true, options: { columnIds } },
					'Column Names or IDs',
				]),
			),
			...NAMES.map((operation): [string, INodeParameters, string] => [
				operation,
				{ options: { workflowId: NOTHING } },
				'Service Workflow ID',
			]),
		])('%s %j', async (operation, parameters, label) => {
			const { message } = await refusal(operation, parameters);

			expect(message).toBe(`The expression in '${label}' gives nothing`);
		});
	});

	describe('an entry that cannot be right is named', () => {
		const UPLOADS = ['document.upload', 'extraction.extractFromFiles'];
		const WAITS = [
			'extraction.extractFromFiles',
			'extraction.extractDocuments',
			'workflow.waitUntilExtracted',
		];
		const ONLY_BY_ID = ['collection.merge', 'extraction.extractDocuments', 'extraction.getAll'];
		const WHOLE = 'must be a whole number of at least 1';
		const SIZE = 'must be a number of at least 0';

		it.each<[string | string[], INodeParameters, string]>([
			[['extraction.getAll', 'document.getAll'], { limit: 0 }, `'Limit' ${WHOLE}`],
			[['extraction.getAll', 'document.getAll'], { limit: 1.5 }, `'Limit' ${WHOLE}`],
			[['extraction.getAll', 'document.getAll'], { limit: '={{ "many" }}' }, `'Limit' ${WHOLE}`],
			['extraction.extractOne', { documentId: ' ' }, "'Document ID' is empty"],
			['extraction.extractOne', { documentId: ' .. ' }, "'Document ID' is not an ID"],
			['extraction.extractOne', { options: { body: '{key: 1}' } }, "'Body' is not valid JSON"],
			['extraction.extractOne', { options: { body: '7' } }, "'Body' must be a JSON object or list"],
			['extraction.extractDocuments', { documentIds: ' , ' }, "'Document IDs' gives nothing"],
			[
				'extraction.extractDocuments',
				{ options: { documentsPerCall: 0 } },
				`'Documents per Call' ${WHOLE}`,
			],
			[ONLY_BY_ID, { collection: byName('Loan file') }, "'Collection' must be chosen by ID here"],
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
				{ uploadMethod: '={{ "Signed URL" }}' },
				"'Upload Method' must be Automatic, Direct or Signed URL",
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
				"'Max Concurrency' must be a number of at least 1",
			],
		])('%j %j', async (operations, parameters, mistake) => {
			for (const operation of [operations].flat()) {
				const { message } = await refusal(operation, parameters);

				expect([operation, message]).toEqual([operation, expect.stringContaining(mistake)]);
			}
		});

		it.each([
			['={{ $json.none }}', 'switch the field to Fixed and clear it, or remove the option'],
			[' , ', 'clear the field.'],
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

	const pathsOf = async (name: string, parameters: INodeParameters) => {
		const [resource, operation] = name.split('.');
		await used.run(
			{ resource, operation, ...NEEDED[name], ...parameters },
			{ items: [await binaryItem({ files: { data: textFile('letter.txt') } })] },
		);
		return (await used.control.requests()).map(({ path }) => path);
	};

	it.each([
		['extraction.extractOne', { documentId: ID }, `/documents/${ENCODED}/extract`],
		['collection.merge', { collection: byId(ID) }, `/collections/${ENCODED}/merged-document`],
	])('reach the service as they are: %s', async (name, parameters, path) => {
		const paths = await pathsOf(name, parameters);

		expect(paths).toEqual([`/api/v1/workflows/${used.client.workflow.id}${path}`]);
	});

	it('reach the service as they are in a filter', async () => {
		await pathsOf('extraction.getAll', { documentIdFilter: ID });

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
		const paths = await pathsOf(name, { options: { workflowId: ID } });

		expect(paths).toEqual([`/api/v1${path}`]);
	});
});
