import { OPERATIONS } from '../nodes/DocumentExtraction/actions/operations';
import { headingOf, nameOf, operationOf, SCENARIOS } from './operations/scenarios';
import { sourcesIn, textOf } from './support/repository';

const ACTIONS = 'nodes/DocumentExtraction/actions';

type Operation = (typeof OPERATIONS)[number];

const scenarios = Object.keys(SCENARIOS).map(operationOf);

/** The files in which an operation has to appear, and how. */
const PLACES: Record<string, (operation: Operation, text: string) => boolean> = {
	'test/operations/scenarios.ts': (operation) => scenarios.includes(nameOf(operation)),
	'dev/simulate/operations.ts': ({ resource, value }, text) =>
		// Check Setup is no part of a flow.
		value === 'checkSetup' ||
		new RegExp(`resource: '${resource}',\\s+operation: '${value}'`).test(text),
	'docs/outputs.md': (operation, text) => text.includes(`\n## ${headingOf(operation)}\n`),
	'README.md': (operation, text) =>
		text.replaceAll('**', '').includes(`\n| ${headingOf(operation)} | `),
};

it('the list of operations has every file of an operation', () => {
	const list = textOf(`${ACTIONS}/operations.ts`);
	const files = sourcesIn(ACTIONS)
		.filter((file) => file.endsWith('.operation.ts'))
		.map((file) => file.replace(ACTIONS, '.').replace(/\.ts$/, ''));

	expect(files).toHaveLength(OPERATIONS.length);
	expect(files.filter((file) => !list.includes(`'${file}'`))).toEqual([]);
});

it.each(Object.entries(PLACES))('%s has every operation', (file, isThere) => {
	const text = textOf(file);
	const missing = OPERATIONS.filter((operation) => !isThere(operation, text));

	expect(missing.map(nameOf)).toEqual([]);
});

it('CONTRIBUTING.md names every place where a new operation has to appear', () => {
	const [, recipe = ''] =
		/^### To add an operation\n(.*?)^#/ms.exec(textOf('CONTRIBUTING.md')) ?? [];
	const places = [...Object.keys(PLACES), 'actions/operations.ts'];

	expect(places.filter((place) => !recipe.includes(place))).toEqual([]);
});
