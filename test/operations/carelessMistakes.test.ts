import { itemWith } from '../support/binary';
import { sample } from '../support/files';
import { testDocumentExtractionApi } from '../support/n8n';
import { useService } from '../support/useService';

const used = useService({ profile: 'atlas' });

const account = () => used.service.account;
const right = () => String(used.service.credential().apiDetails);

/** The right lines, with another one in place of the one with this label. */
const withLine = (label: string, line: string) => {
	const lines = right().split('\n');
	return { apiDetails: lines.map((one) => (one.startsWith(`${label}:`) ? line : one)).join('\n') };
};

/** What somebody reads on saving the credential or, if that says nothing, in the first run; and the row. */
async function tryWith(entered: object, uploadMethod = 'direct') {
	const saved = await testDocumentExtractionApi(used.service.credential({ ...entered }));
	if (saved.status === 'Error') return { message: saved.message };
	const { error, output } = await used.run(
		{
			resource: 'extraction',
			operation: 'extractFromFiles',
			binaryPropertyName: '*',
			uploadMethod,
		},
		{ credential: entered, items: [await itemWith(sample('invoice-harbour-supplies.pdf'))] },
	);
	if (error) return { message: `${error.message}\n${String(error.description ?? '')}` };
	return { number: output[0].json['Document number'] };
}

interface Mistake {
	entered: () => object;
	/** What the message says, of which one part is what to do. */
	says: Array<string | RegExp>;
	/** What somebody enters who does that. */
	mended: () => object;
	uploadMethod?: string;
}

const MISTAKES: Record<string, Mistake> = {
	'a label by another name': {
		entered: () => withLine('Upload File Field', 'File Field: file'),
		says: ["no known label: 'File Field: file'", "Did you mean 'Upload File Field: …'?"],
		mended: () => withLine('Upload File Field', 'Upload File Field: file'),
	},
	'a label that stands twice': {
		entered: () => ({ apiDetails: `${right()}\nRows: data` }),
		says: ["two lines for 'Rows'. Delete one of them: 'Rows: values' or 'Rows: data'"],
		mended: () => ({ apiDetails: right() }),
	},
	'one quotation mark too many': {
		entered: () => withLine('Upload File Field', 'Upload File Field: file"'),
		says: ["line 'Upload File Field: file\"' is not the name of a form field", "e.g. 'file'"],
		mended: () => withLine('Upload File Field', 'Upload File Field: file'),
	},
	'a part of a curl command without a label': {
		entered: () => withLine('Upload File Field', "-F 'file=@invoice.pdf'"),
		says: ["Put a label and a colon before it, as in 'Upload File Field: file'"],
		mended: () => withLine('Upload File Field', "Upload File Field: -F 'file=@invoice.pdf'"),
	},
	'an endpoint with the address of an example': {
		entered: () => {
			const path = 'https://api.example.com/api/v1/workflows/{workflow_id}';
			return withLine('Workflow Endpoint', `Workflow Endpoint: GET ${path}`);
		},
		says: [
			'The path begins with / and is the part after /api/v1',
			"it must begin with the address in 'Base URL'",
		],
		mended: () => withLine('Workflow Endpoint', 'Workflow Endpoint: GET /workflows/{workflow_id}'),
	},
	'a field of Rows with a typing error': {
		entered: () => withLine('Rows', 'Rows: valeus'),
		says: [
			"A result has no field 'valeus' (see 'Rows' in the credential)",
			"Copy the line that shows your columns into 'API Details' of the credential",
			/^Rows: values → Document number: HS-2024-0417 · /m,
		],
		mended: () => withLine('Rows', 'Rows: values → Document number: HS-2024-0417 · Supplier: …'),
	},
	'a key of the other environment': {
		entered: () => ({ apiKey: account().environments.live.keys.full }),
		says: [/is a live key, but its 'Environment' is test\. .* or enter a test key/],
		mended: () => ({ apiKey: account().environments.test.keys.full }),
	},
	'the address of a page of the documentation': {
		entered: () => ({ baseUrl: `${used.service.url}/docs` }),
		says: ["check 'Base URL'", 'it looks like https://api.example.com, with nothing after that'],
		mended: () => ({ baseUrl: used.service.url }),
	},
	'the ID of a workflow of the other environment': {
		entered: () => ({ workflowId: account().environments.live.workflows.main.id }),
		says: [
			"Is 'Service Workflow ID' the ID from the workflow's page",
			'in the chosen environment?',
		],
		mended: () => ({ workflowId: account().environments.test.workflows.main.id }),
	},
	'JSON with a comma too many': {
		entered: () => withLine('Confirm Body', 'Confirm Body: {"document_ids": ["{document_id}"],}'),
		says: ["line 'Confirm Body: ", 'No comma may stand before } or ]'],
		mended: () => withLine('Confirm Body', 'Confirm Body: {"document_ids": ["{document_id}"]}'),
		uploadMethod: 'signed',
	},
	'a file field that the service does not know': {
		entered: () => withLine('Upload File Field', 'Upload File Field: document'),
		says: ['The service asks for `file`: add the line `Upload File Field: file`'],
		mended: () => withLine('Upload File Field', 'Upload File Field: file'),
	},
	'statuses that the service spells otherwise': {
		entered: () => withLine('Finished Statuses', 'Finished Statuses: Done'),
		says: ["change the line to 'Finished Statuses: Done, completed'"],
		mended: () => withLine('Finished Statuses', 'Finished Statuses: Done, completed'),
	},
};

it.each(Object.entries(MISTAKES))(
	'is mended by its message alone: %s',
	async (_, { entered, says, mended, uploadMethod }) => {
		const { message } = await tryWith(entered(), uploadMethod);

		for (const part of says) expect(message).toMatch(part);
		expect(await tryWith(mended(), uploadMethod)).toEqual({ number: 'HS-2024-0417' });
	},
);
