import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { API_DETAILS, type ApiDetail } from '../nodes/DocumentExtraction/account/apiDetails';
import { binaryItem } from './support/binary';
import { sample } from './support/files';
import { testDocumentExtractionApi } from './support/n8n';
import { useService } from './support/useService';

/** What the page tells a user to enter is tried here word by word; so are the usual mistakes. */
const PAGE = readFileSync(resolve(__dirname, '../docs/api-details.md'), 'utf8');

const NAMES = new Map<string, string>(
	Object.entries(API_DETAILS).map(([name, { label }]) => [label, name]),
);

/** The rows of the page's table of entries: an API Detail, and what to enter. */
const ROWS = PAGE.split('\n')
	.map((line) => line.split(' | ').map((cell) => cell.replace(/^\| ?|\s*\|$/g, '').trim()))
	.filter((cells) => cells.length === 4 && NAMES.has(cells[1]));

const nameOf = (label: string) => String(NAMES.get(label));
const entered = (cell: string) => /^`(.*)`$/.exec(cell)?.[1] ?? '';

const RIGHT = ROWS.map(([, label, cell]) => [nameOf(label), entered(cell)] as const);

const OPERATIONS: Record<string, object> = {
	uploadFileField: { uploadMethod: 'direct' },
	documentIdField: { uploadMethod: 'direct' },
	finishedStatuses: { uploadMethod: 'direct', options: { maxWait: 2 } },
	workflowEndpoint: { resource: 'workflow', operation: 'waitUntilExtracted' },
};

const used = useService({ profile: 'borealis', extractionMs: 50, startMs: 30 });

const run = async (mistake: Record<string, string>, parameters: object) =>
	await used.run(
		{ resource: 'extraction', operation: 'extractFromFiles', ...parameters },
		{
			credential: { ...Object.fromEntries(RIGHT), ...mistake },
			items: [await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })],
		},
	);

it('says what to enter for every API Detail', () => {
	expect(RIGHT.map(([detail]) => detail).sort()).toEqual(Object.keys(API_DETAILS).sort());
});

it('has a mail whose answers are the values of all API Details', () => {
	const [, section] = PAGE.split('\n## Ask your account team\n');
	const [text] = section.split('\n## ');
	const questions = text.match(/^\d\. /gm) ?? [];
	const answers = [...text.matchAll(/^\| (\d) \| (.+) \|$/gm)];

	expect(answers.flatMap(([, , labels]) => labels.split(', ')).sort()).toEqual(
		['Base URL', ...NAMES.keys()].sort(),
	);
	for (const [, number] of answers) expect(questions).toContain(`${number}. `);
});

it.each(['direct', 'signed'])('is enough to extract from files, by %s upload', async (method) => {
	const { error, output } = await run(
		{},
		{ uploadMethod: method, collection: { __rl: true, mode: 'name', value: 'March' } },
	);

	expect(error).toBeUndefined();
	expect(JSON.stringify(output)).toContain('HS-2024-0417');
	const { uploads } = await used.control.ledger();
	expect(uploads).toMatchObject([{ method, collectionName: 'March', confirmed: true }]);
});

it('is enough to read the workflow', async () => {
	const { error, output } = await run({}, { resource: 'workflow', operation: 'get' });

	expect(error).toBeUndefined();
	expect(JSON.stringify(output)).toContain('"is_extracting":false');
});

/**
 * Wrong entries, and parts of what the node says to them, in this order. `credential.test.ts` tries
 * each API Detail in a wrong form.
 */
const MISTAKES: Array<[detail: keyof typeof API_DETAILS, entered: string, said: string[]]> = [
	[
		'uploadFileField',
		'file',
		[
			'The service did not accept invoice-harbour-supplies.pdf (422)',
			'documents: Field required',
			"'Upload File Field' in the credential",
		],
	],
	[
		'workflowEndpoint',
		'GET /workflows/{workflow_id}/structure',
		['The service cannot find what was requested (404)', "'Workflow Endpoint' in the credential"],
	],
	[
		'workflowEndpoint',
		'GET /workflows/{workflow_id}/documents',
		["The response of 'Workflow Endpoint' in the credential does not contain 'is_extracting'"],
	],
	[
		'documentIdField',
		'document_id',
		[
			"does not have exactly one document ID under 'Document ID Field'",
			'result.documents[0].doc_ref',
		],
	],
	[
		'finishedStatuses',
		'completed',
		[
			'The extraction was not finished after',
			'seconds',
			'last status: DONE',
			"'Finished Statuses'",
		],
	],
	[
		'uploadUrlEndpoint',
		'POST /upload-slots/{workflow_id}',
		['The service cannot find what was requested (404)', "Compare 'Upload URL Endpoint'"],
	],
	[
		'uploadUrlBody',
		'{"slot": {"filename": {file_name}}}',
		["The credential's field 'Upload URL Body' is not valid JSON. Placeholders need quotes too"],
	],
	[
		'uploadUrlBody',
		'{"slot": {"name": "{file_name}", "mime": "{content_type}"}}',
		[
			'The service did not accept invoice-harbour-supplies.pdf (422)',
			'slot, filename: Field required',
			"'Upload URL Body'",
		],
	],
	[
		'uploadUrlField',
		'url',
		[
			"The response has no upload URL under 'Upload URL Field' in the credential",
			'result.slots[0].put.href',
		],
	],
	[
		'uploadHeadersField',
		'put headers',
		[
			"The credential's field 'Upload Headers Field' is neither a field name nor a path such as 'a.b[0].c'",
		],
	],
	[
		'uploadHeadersField',
		'headers',
		[
			"The credential's field 'Upload Headers Field' does not lead to an object of headers in the response",
			'result.slots[0].put.href',
		],
	],
	[
		'confirmMethod',
		'POST',
		['The service cannot find what was requested (404)', "Compare 'Confirm Method'"],
	],
	[
		'confirmBody',
		'{"id": "{document_id}"}',
		['The service did not accept the request (422)', 'doc_ref: Field required', "'Confirm Body'"],
	],
	[
		'valuesField',
		'.values',
		["The credential's field 'Values Field' is neither a field name nor a path such as 'a.b[0].c'"],
	],
	[
		'columnNameField',
		'column heading',
		["The credential's field 'Column Name Field' is neither a field name nor a path"],
	],
	[
		'columnValueField',
		'',
		["The credential's field 'Column Name Field' does not work without 'Column Value Field'"],
	],
];

async function whatIsSaid(detail: string, value: string): Promise<string> {
	// The form of these is checked when the credential is tested.
	if (API_DETAILS[detail as ApiDetail].group === 'responseFields') {
		const entered = { ...Object.fromEntries(RIGHT), [detail]: value };
		return (await testDocumentExtractionApi(used.service.credential(entered))).message;
	}
	const parameters = OPERATIONS[detail] ?? { uploadMethod: 'signed' };
	const { error } = await run({ [detail]: value }, parameters);
	return `${error?.message} ${error?.description}`;
}

it.each(MISTAKES)('says what is wrong with %s: %j', async (detail, value, parts) => {
	const said = await whatIsSaid(detail, value);
	let place = 0;
	for (const part of parts) {
		expect(said.slice(place)).toContain(part);
		place = said.indexOf(part, place) + part.length;
	}
});
