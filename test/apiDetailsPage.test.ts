import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { API_DETAILS } from '../nodes/DocumentExtraction/api/details/labels';
import { binaryItem } from './support/binary';
import { sample } from './support/files';
import { runNode, testDocumentExtractionApi } from './support/n8n';
import { useService } from './support/useService';

/** What the page tells a user to enter, and what it says of mistakes, is tried here word by word. */
const PAGE = readFileSync(resolve(__dirname, '../docs/api-details.md'), 'utf8');

const NAMES = new Map<string, string>(
	Object.entries(API_DETAILS).map(([name, { label }]) => [label, name]),
);

/** The rows of the page's tables that have so many cells and in this column the label of an API Detail. */
function rowsAbout(column: number, width: number): string[][] {
	return PAGE.split('\n')
		.map((line) => line.split(' | ').map((cell) => cell.replace(/^\| ?|\s*\|$/g, '').trim()))
		.filter((cells) => cells.length === width && NAMES.has(cells[column]));
}

const nameOf = (label: string) => String(NAMES.get(label));
const entered = (cell: string) => /^`(.*)`$/.exec(cell)?.[1] ?? '';

const RIGHT = rowsAbout(1, 4).map(([, label, cell]) => [nameOf(label), entered(cell)] as const);
const MISTAKES = rowsAbout(0, 3).map(
	([label, cell, quote]) => [nameOf(label), entered(cell), quote] as const,
);

const OPERATIONS: Record<string, object> = {
	uploadFileField: { uploadMethod: 'direct' },
	documentIdField: { uploadMethod: 'direct' },
	finishedStatuses: { uploadMethod: 'direct', options: { maxWait: 1 } },
	workflowEndpoint: { resource: 'workflow', operation: 'waitUntilExtracted' },
};

const used = useService({ profile: 'borealis', extractionMs: 50, startMs: 30 });

const run = async (mistake: Record<string, string>, parameters: object) =>
	await runNode({
		credential: used.service.credential({ ...Object.fromEntries(RIGHT), ...mistake }),
		parameters: { resource: 'extraction', operation: 'extractFromFiles', ...parameters },
		items: [await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })],
	});

it('says what to enter for every API Detail', () => {
	expect(RIGHT.map(([detail]) => detail).sort()).toEqual(Object.keys(API_DETAILS).sort());
});

it.each(['direct', 'signed'])('is enough to extract from files, by %s upload', async (method) => {
	const { error, output } = await run(
		{},
		{ uploadMethod: method, collection: { __rl: true, mode: 'name', value: 'March' } },
	);

	expect(error).toBeUndefined();
	expect(JSON.stringify(output)).toContain('HS-2024-0417');
	const { uploads } = await used.service.control.ledger();
	expect(uploads).toMatchObject([{ method, collectionName: 'March', confirmed: true }]);
});

it('is enough to read the workflow', async () => {
	const { error, output } = await run({}, { resource: 'workflow', operation: 'get' });

	expect(error).toBeUndefined();
	expect(JSON.stringify(output)).toContain('"is_extracting":false');
});

it('shows a mistake in each API Detail', () => {
	const shown = new Set(MISTAKES.map(([detail]) => detail));

	expect([...shown].sort()).toEqual(Object.keys(API_DETAILS).sort());
});

/** The form of these is checked when the credential is tested. */
const OF_RESULTS = ['valuesField', 'columnNameField', 'columnValueField'];

async function whatIsSaid(detail: string, value: string): Promise<string> {
	if (OF_RESULTS.includes(detail)) {
		const entered = { ...Object.fromEntries(RIGHT), [detail]: value };
		return (await testDocumentExtractionApi(used.service.credential(entered))).message;
	}
	const parameters = OPERATIONS[detail] ?? { uploadMethod: 'signed' };
	const { error } = await run({ [detail]: value }, parameters);
	return `${error?.message} ${error?.description}`;
}

it.each(MISTAKES)('quotes what the node says to %s: %j', async (detail, value, quote) => {
	const said = await whatIsSaid(detail, value);
	let place = 0;
	for (const part of quote.split('…').map((text) => text.trim())) {
		expect(said.slice(place)).toContain(part);
		place = said.indexOf(part, place) + part.length;
	}
});
