import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Ajv from 'ajv';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { OPERATIONS } from '../nodes/DocumentExtraction/actions/operations';
import { ApiReference } from './operations/apiReference';
import { headingOf, SCENARIOS } from './operations/scenarios';
import { binaryItem } from './support/binary';
import { sample, textFile } from './support/files';
import type { RunOptions } from './support/nodeEngine';
import { useService } from './support/useService';

/** What the page shows of the output is held against the schemas and against what really comes out. */
const PAGE = readFileSync(resolve(__dirname, '../docs/outputs.md'), 'utf8');

const SECTIONS = new Map(
	PAGE.split(/^## /m)
		.slice(1)
		.map((section) => {
			const [heading] = section.split('\n');
			const blocks = section.matchAll(/^```json\n(.+?)^```$/gms);
			return [heading, [...blocks].map(([, json]) => JSON.parse(json) as IDataObject)];
		}),
);

const INVOICE = sample('invoice-harbour-supplies.pdf');
const LETTER = textFile('letter.txt', 'Invoice number: 1\n');

const used = useService({ profile: 'atlas', extractionMs: 30, startMs: 10 });

const run = async (parameters: object, options: RunOptions = {}) =>
	await used.run({ ...parameters }, { ...options });

const fromFile = async (parameters: object = {}, options: RunOptions = {}, file = INVOICE) =>
	await run(
		{ resource: 'extraction', operation: 'extractFromFiles', ...parameters },
		{
			items: [await binaryItem({ json: { from: 'ann@example.com' }, files: { data: file } })],
			...options,
		},
	);

const scenario = (name: string) => async () => {
	const { service, client } = used;
	const reference = new ApiReference(service);
	const arranged = await SCENARIOS[name]({ service, client, reference, mode: 'memory' });
	const { parameters, items } = arranged;
	return (await run(parameters, { items })).output;
};

const refuseUploads = async () =>
	await used.fault('upload', {
		type: 'status',
		status: 400,
		body: { detail: 'The file is not a PDF' },
	});

/** How to get what each example of a section shows, in the page's order. */
const RUNS: Record<string, Array<() => Promise<INodeExecutionData[]>>> = {
	'Extraction › Extract From Files': [
		async () => (await fromFile()).output,
		async () => {
			const credential = used.service.credential({ finishedStatuses: 'never' });
			const options = { maxWait: 1, onTimeout: 'status' };
			return (await fromFile({ options }, { credential })).output;
		},
		async () => {
			const rowsOf = { __rl: true, mode: 'name', value: 'Line items' };
			return (await fromFile({ options: { rowsOf } })).output;
		},
	],
	'Extraction › Extract Documents': [scenario('extraction.extractDocuments')],
	'Document › Upload': [scenario('document.upload, direct')],
	'Failed items': [
		async () => {
			await refuseUploads();
			return (await fromFile({}, { onError: 'continueRegularOutput' }, LETTER)).output;
		},
	],
};

/** The fields of a value and of what is in it; a list has those of all its entries. */
function fieldsIn(value: unknown): string[] {
	if (value === null || typeof value !== 'object') return [];
	if (Array.isArray(value)) return [...new Set(value.flatMap(fieldsIn))];
	return Object.entries(value).flatMap(([name, inner]) => [
		name,
		...fieldsIn(inner).map((path) => `${name}.${path}`),
	]);
}

/** The fields that an operation says it outputs; undefined where it hands on what the service responds. */
function schemaOf(heading: string): object | undefined {
	const output = OPERATIONS.find((operation) => headingOf(operation) === heading)?.output;
	return output === undefined || output === 'raw'
		? undefined
		: { type: 'object', properties: output };
}

const EXAMPLES = Object.entries(RUNS).flatMap(([heading, runs]) =>
	runs.map((arrange, index) => ({
		heading,
		number: index + 1,
		arrange,
		example: SECTIONS.get(heading)?.[index],
	})),
);

it('has no example that is not tried', () => {
	const withExamples = [...SECTIONS].filter(([, examples]) => examples.length > 0);

	expect(withExamples.map(([heading, { length }]) => [heading, length]).sort()).toEqual(
		Object.entries(RUNS)
			.map(([heading, { length }]) => [heading, length])
			.sort(),
	);
});

it.each(EXAMPLES)('$heading, example $number, has the fields of the real output', async (shown) => {
	const [{ json }] = await shown.arrange();

	// As n8n saves it: without fields that are undefined.
	const saved = JSON.parse(JSON.stringify(json)) as IDataObject;
	expect(fieldsIn(shown.example).sort()).toEqual(fieldsIn(saved).sort());
});

it.each(EXAMPLES.filter(({ heading }) => schemaOf(heading)))(
	"$heading, example $number, agrees with the operation's schema",
	({ heading, example }) => {
		const isValid = new Ajv().compile(schemaOf(heading) ?? {});

		expect(isValid(example) ? [] : isValid.errors).toEqual([]);
	},
);
