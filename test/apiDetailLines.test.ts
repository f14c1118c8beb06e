import * as fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import { readLines } from '../nodes/DocumentExtraction/account/lines';

const LABELS = [
	'Upload File Field',
	'Document ID Field',
	'Rows',
	'Workflow Endpoint',
	'Finished Statuses',
	'Upload URL Body',
	'Confirm Body',
];

const read = (text: string) => Object.fromEntries(readLines(text, LABELS, 'abc_test_0123'));

const BODY = '{"ids": ["{document_id}"]}';
const WHOLE = {
	'Upload File Field': 'upload',
	Rows: 'cells: name = value',
	'Workflow Endpoint': 'GET /workflows/{workflow_id}',
	'Confirm Body': BODY,
};
const LINES = Object.entries(WHOLE).map(([label, value]) => `${label}: ${value}`);

describe('a whole text is taken', () => {
	const each = (wrap: (line: string, index: number) => string, separator = '\n') =>
		LINES.map(wrap).join(separator);
	const asJson = JSON.stringify(LINES);
	const asJsonText = JSON.stringify(LINES.join('\n'));

	it.each([
		['as it is to be written', each((line) => line)],
		['with the line breaks of Windows', each((line) => line, '\r\n')],
		[
			'with blank lines, comments and a line break at its end',
			`\n# Mine\n${each((line) => `${line}\n \n`)}`,
		],
		['indented by spaces and tabs', each((line) => `\t  ${line}  `)],
		['with the spaces of a web page', each((line) => line.replace(': ', ':\u00a0'))],
		['with signs that nobody sees', `\ufeff${each((line) => `\u200b${line}`)}`],
		['as bullets', each((line) => `- ${line}`)],
		['as a numbered list', each((line, index) => `${index + 1}. ${line}`)],
		['as a quotation of an email', each((line) => `> ${line}`)],
		['in a code fence', `\`\`\`\n${each((line) => line)}\n\`\`\``],
		['each line as code', each((line) => `\`${line}\``)],
		['with bold labels', each((line) => line.replace(/^([^:]*):/, '- **$1:**'))],
		['each line in quotation marks', each((line) => `“${line}”,`)],
		[
			'with labels as they are named in code',
			each((line) => line.replace(/^([^:]*)/, (label) => label.toLowerCase().replaceAll(' ', '_'))),
		],
	])('%s', (_, text) => {
		expect(read(text)).toEqual(WHOLE);
	});

	it.each([
		["from n8n's table, a list", each((line, index) => `${index} : ${line}`)],
		["from n8n's table, a list without spaces", each((line, index) => `${index}:${line}`)],
		[
			"from n8n's table, with the name of its column",
			`enter\n${each((line, index) => `${index}:${line}`)}`,
		],
		["from n8n's schema, a list", each((line, index) => `enter[${index}]\n${line}`)],
		[
			"from n8n's schema, with the list itself",
			`enter\n${each((line, index) => `enter[${index}] ${line}`)}`,
		],
		["from n8n's JSON view, a list", `[\n${each((line) => `  ${JSON.stringify(line)}`, ',\n')}\n]`],
		[
			"from n8n's JSON view, with its name",
			`"enter": [\n${each((line) => JSON.stringify(line), ',\n')}\n],`,
		],
		["from n8n's JSON view, without the brackets", each((line) => JSON.stringify(line), ',\n')],
		["from n8n's JSON view, up to a comma", each((line) => `${JSON.stringify(line)},`)],
		["from n8n's JSON view, a text", asJsonText],
		["from n8n's JSON view, a text and its name", `"enter": ${asJsonText},`],
		["from n8n's JSON view, a text without its quotation marks", asJsonText.slice(1, -1)],
		["from n8n's JSON view, a text and one of its quotation marks", asJsonText.slice(0, -1)],
		[
			"from n8n's JSON view, a whole item",
			JSON.stringify({ apiDetail: 'All Entries', enter: LINES, choices: '–' }, null, 2),
		],
		[
			"from n8n's JSON view, all items",
			JSON.stringify([
				{ apiDetail: 'All Entries', enter: LINES },
				{ apiDetail: 'Rows', enter: 'x' },
			]),
		],
		['as a list in one line', asJson],
		['as a text with line breaks that are spelled out', `${each((line) => line, '\\n')}\\n`],
	])('%s', (_, text) => {
		expect(read(text)).toEqual(WHOLE);
	});
});

describe('a value', () => {
	it.each([
		['Rows: cells: name = value → Total: 12 · Rows: 3 · Date: 2024-01-01', 'cells: name = value'],
		['Rows: "a → b" = value → Total: 12', '"a → b" = value'],
		['Rows: [*].cells: [0] = [1] → Total: 12', '[*].cells: [0] = [1]'],
		['Rows: general + productItems', 'general + productItems'],
		['Rows: .: name = value,', '.: name = value'],
		['rows:values', 'values'],
	])('of Rows: %j', (line, value) => {
		expect(read(line)).toEqual({ Rows: value });
	});

	it.each([
		'',
		'Rows:',
		'Rows: ',
		'Rows: ""',
		"Rows: ' '",
		'Rows: ,',
		'\n\n# Rows: values\n  # x',
		'[]',
		'```\n```',
	])('is not there in %j', (text) => {
		expect(read(text)).toEqual({});
	});

	it.each([
		['over several lines', 'Confirm Body: {\n  "ids": [\n    "{document_id}"\n  ]\n}'],
		['below its label', `Confirm Body:\n${BODY}`],
		['with escaped quotation marks', 'Confirm Body: {\\"ids\\": [\\"{document_id}\\"]}'],
		['with escaped line breaks, too', 'Confirm Body: {\\n  \\"ids\\": [\\"{document_id}\\"]\\n}'],
		['with a comma behind it', `Confirm Body: ${BODY},`],
		[
			'in a text of a list',
			JSON.stringify(['Confirm Body: {\n  "ids": ["{document_id}"]\n}'], null, 2),
		],
	])('may be JSON %s', (_, text) => {
		const { 'Confirm Body': body } = read(`${text}\nRows: values`.replace(/^\[\n(.*)\n\]/s, '$1'));

		expect(JSON.parse(body)).toEqual({ ids: ['{document_id}'] });
	});

	it('may be JSON that begins in the next line', () => {
		const { 'Upload URL Body': body } = read('Upload URL Body:\n{\n  "name": "{file_name}"\n}\n');

		expect(JSON.parse(body)).toEqual({ name: '{file_name}' });
	});

	it('may be JSON that mentions labels', () => {
		const text = [
			'Upload URL Body: {\n# Mine\n  "rows": 5,\n  "# x": "Rows",',
			'  "a": {"confirm_body": "x: y"}\n}\nRows: values',
		].join('\n');

		const { 'Upload URL Body': body, Rows } = read(text);

		expect(JSON.parse(body)).toEqual({ rows: 5, '# x': 'Rows', a: { confirm_body: 'x: y' } });
		expect(Rows).toBe('values');
	});

	it('keeps what is said in JSON', () => {
		const said = '{"note": "a<br>b\\nc  d", "ids": ["{document_id}"]}';

		expect(read(`Confirm Body: ${said}`)).toEqual({ 'Confirm Body': said });
	});

	it('that is JSON without its end takes no other line along', () => {
		expect(read('Confirm Body: {"ids": [\nRows: values')).toEqual({
			'Confirm Body': '{"ids": [',
			Rows: 'values',
		});
	});
});

describe('a line is refused', () => {
	it.each([
		['Uplod File Field: file', 'Upload File Field'],
		['File Field: file', 'Upload File Field'],
		['Body: {}', undefined],
		["-F 'file=@invoice.pdf'", undefined],
		['Upload File Field file', 'Upload File Field'],
		['Rows = values', 'Rows'],
		['Finished Status: DONE', 'Finished Statuses'],
		['cells: name = value', undefined],
		['"apiDetail": "All Entries",', undefined],
		['hello', undefined],
	])('whose label is unknown, with the nearest one: %j', (line, near) => {
		const meant =
			near === undefined
				? [
						"Put a label and a colon before it, as in 'Upload File Field: file'.",
						`The labels are: ${LABELS.join(', ')}`,
					].join(' ')
				: `Did you mean '${near}: …'?`;

		expect(() => read(`Document ID Field: id\n${line}`)).toThrow(
			`A line in the credential's 'API Details' begins with no known label: '${line}'. ${meant}`,
		);
	});

	it('whose label stands twice, with both', () => {
		const text = 'Rows: values\nUpload File Field: file\n- rows: cells: name = value';

		expect(() => read(text)).toThrow(
			[
				"The credential's 'API Details' has two lines for 'Rows'.",
				"Delete one of them: 'Rows: values' or '- rows: cells: name = value'",
			].join(' '),
		);
	});

	it('without the API key in it, and not at any length', () => {
		expect(() => read(`curl -H 'X-Key: abc_test_0123' ${'x'.repeat(500)}`)).toThrow(
			/: 'curl -H 'X-Key: \*\*\*' x{70,80}…'\. Put a label/,
		);
	});
});

it('a text of any length is read in time that grows with it', () => {
	// Not by the clock: a machine that is busy with other things tells nothing of this code.
	const started = process.cpuUsage();
	for (const text of ['Rows: "'.repeat(20_000), ' '.repeat(200_000), '{['.repeat(100_000)]) {
		try {
			read(`Confirm Body: ${text}\n${text}`);
		} catch {
			// Whether it is refused does not matter here.
		}
	}

	expect(process.cpuUsage(started).user / 1e6).toBeLessThan(3);
});

const word = fc.stringMatching(/^[a-z][a-z0-9_.]{0,8}$/);
const body = fc.dictionary(word, fc.oneof(word, fc.integer(), fc.array(word)), { minKeys: 1 });
const value = fc.oneof(
	word,
	fc.tuple(word, word, word).map(([place, name, held]) => `${place}: ${name} = ${held}`),
	word.map((path) => `GET /${path}/{workflow_id}`),
	body.map((json) => JSON.stringify(json)),
);
const values = fc.dictionary(fc.constantFrom(...LABELS), value, { noNullPrototype: true });

it('any values are read from however they are shown', () => {
	const asLines = (all: Record<string, string>) =>
		Object.entries(all).map(([label, one]) => `${label}: ${one}`);
	const forms: Array<(lines: string[]) => string> = [
		(lines) => lines.join('\n'),
		(lines) => lines.map((line, index) => `${index} : ${line}`).join('\n'),
		(lines) => JSON.stringify(lines),
		(lines) => JSON.stringify(lines, null, 2),
		(lines) => JSON.stringify(lines.join('\n')),
		(lines) => JSON.stringify(lines.join('\n')).slice(1, -1),
		(lines) => lines.join('\\n'),
	];
	fc.assert(
		fc.property(values, fc.constantFrom(...forms), (all, form) => {
			expect(read(form(asLines(all)))).toEqual(all);
		}),
		{ numRuns: 2_000 },
	);
});

it('any text is read, or refused with a message', () => {
	const piece = fc.oneof(fc.string(), fc.constantFrom(...LABELS, ': ', '\n', '{', '"', '→', '\\n'));
	fc.assert(
		fc.property(fc.array(piece), (pieces) => {
			let outcome: unknown;
			try {
				outcome = readLines(pieces.join(''), LABELS);
			} catch (error) {
				outcome = error;
			}
			expect(outcome instanceof Map || outcome instanceof UserError).toBe(true);
		}),
		{ numRuns: 2_000 },
	);
});
