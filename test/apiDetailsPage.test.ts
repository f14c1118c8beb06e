import type { INodeParameters } from 'n8n-workflow';
import { API_DETAILS } from '../nodes/DocumentExtraction/account/apiDetails';
import { parseRows } from '../nodes/DocumentExtraction/account/rows';
import { rowsReader } from '../nodes/DocumentExtraction/rows/rows';
import { binaryItem } from './support/binary';
import { sample } from './support/files';
import { sectionsOf, textOf } from './support/repository';
import { useService } from './support/useService';

/** What the page tells a user to enter is tried here word by word. */
const PAGE = 'docs/api-details.md';

const NAMES = new Map<string, string>(
	Object.entries(API_DETAILS).map(([name, { label }]) => [label, name]),
);

/** The rows of the page's table of lines: an API Detail, and what follows its colon. */
const ROWS = textOf(PAGE)
	.split('\n')
	.map((line) => line.split(' | ').map((cell) => cell.replace(/^\| ?|\s*\|$/g, '').trim()))
	.filter((cells) => cells.length === 4 && NAMES.has(cells[1]));

const nameOf = (label: string) => String(NAMES.get(label));
const entered = (cell: string) => /^`(.*)`$/.exec(cell)?.[1] ?? '';

const RIGHT = ROWS.map(([, label, cell]) => [nameOf(label), entered(cell)] as const);

const used = useService({ profile: 'borealis', extractionMs: 50, startMs: 30 });

const run = async (parameters: INodeParameters) =>
	await used.run(parameters, {
		credential: Object.fromEntries(RIGHT),
		items: [await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })],
	});

it('says what to enter for every API Detail', () => {
	expect(RIGHT.map(([detail]) => detail).sort()).toEqual(Object.keys(API_DETAILS).sort());
});

it('has a mail whose answers are the values of all API Details', () => {
	const text = sectionsOf(PAGE).sections.get('Ask your account team') ?? '';
	const questions = text.match(/^\d\. /gm) ?? [];
	const answers = [...text.matchAll(/^\| (\d) \| (.+) \|$/gm)];

	expect(answers.flatMap(([, , labels]) => labels.split(', ')).sort()).toEqual(
		['Base URL', ...NAMES.keys()].sort(),
	);
	for (const [, number] of answers) expect(questions).toContain(`${number}. `);
});

it.each(['direct', 'signed'])('is enough to extract from files, by %s upload', async (method) => {
	const { error, output } = await run({
		collection: { __rl: true, mode: 'name', value: 'March' },
		options: { uploadMethod: method },
	});

	expect(error).toBeUndefined();
	expect(JSON.stringify(output)).toContain('HS-2024-0417');
	const { uploads } = await used.control.ledger();
	expect(uploads).toMatchObject([{ method, collectionName: 'March', confirmed: true }]);
});

const SHAPES = sectionsOf(PAGE).sections.get('What goes where') ?? '';
const FORMS = [
	...SHAPES.matchAll(/^\| `(\{.*\})`.* \| `(.*)` \|$/gm),
	// A table would show the bar between the fields only behind a backslash, which people copy.
	...SHAPES.matchAll(/`(\{.*\})`.*:\n\n```\nRows: (.*)\n```/g),
].map(([, entry, rows]) => [rows, JSON.parse(entry) as object] as const);

it.each(FORMS)('says right that %s reads %j', (rows, entry) => {
	const values = rowsReader(parseRows(rows), [entry]).readable([entry]);
	expect(values.map(({ column, value }) => [column, value])).toContainEqual(['Total', 1240.5]);
});

it('has a form for each way to say where values are', () => {
	expect(FORMS.length).toBeGreaterThan(8);
});

it('is enough to read the workflow', async () => {
	const { error, output } = await run({ resource: 'workflow', operation: 'get' });

	expect(error).toBeUndefined();
	expect(JSON.stringify(output)).toContain('"is_extracting":false');
});
