import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { OPERATIONS } from '../nodes/DocumentExtraction/actions/operations';
import { binaryItem } from './support/binary';
import { sample, textFile } from './support/files';
import type { RunOptions } from './support/nodeEngine';
import { sectionsOf } from './support/repository';
import { useService } from './support/useService';

/** What the page shows of the output is held against the schemas and against what really comes out. */
const SECTIONS = new Map(
	[...sectionsOf('docs/outputs.md').sections].map(([heading, section]) => {
		const blocks = [...section.matchAll(/^```json\n(.+?)^```$/gms)];
		return [heading, blocks.map(([, json]) => JSON.parse(json) as IDataObject)];
	}),
);

const INVOICE = sample('invoice-harbour-supplies.pdf');
const LETTER = textFile('letter.txt', 'Invoice number: 1\n');

const used = useService({ profile: 'atlas', extractionMs: 30, startMs: 10 });

const extract = async (options: INodeParameters, more: RunOptions, file = INVOICE) => {
	const items = [await binaryItem({ json: { from: 'ann@example.com' }, files: { data: file } })];
	const { output } = await used.run(
		{ resource: 'extraction', operation: 'extractFromFiles', options },
		{ items, ...more },
	);
	return output;
};

/** How to get what each example of a section shows, in the page's order. */
const RUNS: Record<string, Array<() => Promise<INodeExecutionData[]>>> = {
	'Extraction › Extract From Files': [
		async () => {
			const credential = used.service.credential({ finishedStatuses: 'never' });
			return await extract({ maxWait: 1, onTimeout: 'status' }, { credential });
		},
	],
	'Failed items': [
		async () => {
			await used.fault('upload', { type: 'status', status: 400, body: { detail: 'No PDF' } });
			return await extract({}, { onError: 'continueRegularOutput' }, LETTER);
		},
	],
};

/** The fields of a value and of what is in it, each with its type; a list has those of all its entries. */
function fieldsIn(value: unknown): string[] {
	if (value === null || typeof value !== 'object') return [];
	if (Array.isArray(value)) return [...new Set(value.flatMap(fieldsIn))];
	return Object.entries(value).flatMap(([name, inner]) => [
		`${name}: ${typeof inner}`,
		...fieldsIn(inner).map((path) => `${name}.${path}`),
	]);
}

const EXAMPLES = Object.entries(RUNS).flatMap(([heading, runs]) =>
	runs.map((arrange, index) => ({ heading, index, arrange })),
);

it('has no example that is not tried', () => {
	const tried = Object.entries(RUNS).map(([heading, { length }]) => [heading, length]);
	const shown = [...SECTIONS].map(([heading, { length }]) => [heading, length]);

	expect(shown.filter(([, length]) => length !== 0)).toEqual(tried);
});

it.each(EXAMPLES)('$heading has the fields of the real output ($index)', async (shown) => {
	const [{ json }] = await shown.arrange();

	// As n8n saves it: without fields that are undefined.
	const saved = JSON.parse(JSON.stringify(json)) as IDataObject;
	const example = SECTIONS.get(shown.heading)?.[shown.index];
	expect(fieldsIn(example).sort()).toEqual(fieldsIn(saved).sort());
});

it('the table of options has each of them, with the operations that it belongs to', () => {
	const table = sectionsOf('docs/outputs.md').sections.get('Which operation has which option');
	const named = [...(table ?? '').matchAll(/^\| (.+) \| (.+) \|$/gm)].slice(1);
	const shown = named.flatMap(([, options, operations]) =>
		options.split(', ').map((option) => [option, operations.split(', ').length] as const),
	);
	const real = new Map<string, number>();
	for (const { fields } of OPERATIONS) {
		const { options = [] } = fields.find(({ name }) => name === 'options') ?? {};
		for (const option of options) {
			const label = 'displayName' in option ? option.displayName : option.name;
			real.set(label, (real.get(label) ?? 0) + 1);
		}
	}

	const everywhere = OPERATIONS.length;
	const counted = [...real].map(([label, count]) => [label, count === everywhere ? 1 : count]);
	expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(counted));
});
