import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OPERATIONS } from '../nodes/DocumentExtraction/actions/operations';
import { headingOf, nameOf, operationOf, SCENARIOS } from './operations/scenarios';

const ROOT = resolve(__dirname, '..');
const ACTIONS = 'nodes/DocumentExtraction/actions';

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Check Setup is no part of a flow. */
const NOT_SIMULATED = ['workflow.checkSetup'];

/** The files in which an operation has to appear, and those that are there. */
const PLACES: Record<string, (typeof OPERATIONS)[number][]> = {
	'test/operations/scenarios.ts': OPERATIONS.filter((operation) =>
		Object.keys(SCENARIOS).map(operationOf).includes(nameOf(operation)),
	),
	'dev/simulate/operations.ts': OPERATIONS.filter((operation) => {
		const { resource, value } = operation;
		const call = new RegExp(`resource: '${resource}',\\s+operation: '${value}'`);
		return (
			NOT_SIMULATED.includes(nameOf(operation)) || call.test(textOf('dev/simulate/operations.ts'))
		);
	}),
	'docs/outputs.md': OPERATIONS.filter((operation) =>
		textOf('docs/outputs.md').includes(`\n## ${headingOf(operation)}\n`),
	),
	'README.md': OPERATIONS.filter((operation) =>
		textOf('README.md')
			.replaceAll('**', '')
			.includes(`\n| ${headingOf(operation)} | `),
	),
};

it('the list of operations has every file of an operation', () => {
	const list = textOf(`${ACTIONS}/operations.ts`);
	const files = readdirSync(join(ROOT, ACTIONS), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.operation.ts'))
		.map((file) => `./${file.replace(/\.ts$/, '')}`);

	expect(files).toHaveLength(OPERATIONS.length);
	expect(files.filter((file) => !list.includes(`'${file}'`))).toEqual([]);
});

it.each(Object.entries(PLACES))('%s has every operation', (_, there) => {
	const missing = OPERATIONS.filter((operation) => !there.includes(operation));

	expect(missing.map(nameOf)).toEqual([]);
});

it('CONTRIBUTING.md names every place where a new operation has to appear', () => {
	const [, recipe = ''] =
		/^### To add an operation\n(.*?)^#/ms.exec(textOf('CONTRIBUTING.md')) ?? [];
	const places = [...Object.keys(PLACES), 'actions/operations.ts'];

	expect(places.filter((place) => !recipe.includes(place))).toEqual([]);
});
