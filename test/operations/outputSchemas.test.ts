import Ajv from 'ajv';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { OutputField } from '../../nodes/DocumentExtraction/actions/operation';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { useService } from '../support/useService';
import { arranged, nameOf, operationOf, SCENARIOS } from './scenarios';

type Schema = Pick<OutputField, 'properties'>;

/** What operations say they output, but those that hand on what the service responds. */
const SCHEMAS = new Map(
	OPERATIONS.flatMap((operation): Array<[string, Schema]> => {
		const { output } = operation;
		return output === 'raw' ? [] : [[nameOf(operation), { properties: output }]];
	}),
);

const schemaOf = (name: string): Schema => SCHEMAS.get(name) ?? {};

/** The fields that the editor offers, as it draws them: an object's own fields are offered too. */
function offered({ properties = {} }: Schema, path: string[] = []): string[][] {
	return Object.entries(properties).flatMap(([name, inner]) => [
		[...path, name],
		...offered(inner, [...path, name]),
	]);
}

const valueAt = (json: IDataObject, path: string[]) =>
	path.reduce<unknown>((value, name) => (value as IDataObject | undefined)?.[name], json);

describe('Output schemas', () => {
	const used = useService({ profile: 'borealis', extractionMs: 30, startMs: 10 });
	const scenarios = Object.keys(SCENARIOS)
		.map((title) => ({ title, name: operationOf(title) }))
		.filter(({ name }) => SCHEMAS.has(name));

	const outputOf = async (title: string, parameters: INodeParameters) => {
		const scenario = await arranged(title, used);
		const run = await used.run({ ...scenario.parameters, ...parameters }, scenario);
		expect(run.error).toBeUndefined();
		expect(run.output).not.toHaveLength(0);
		return run.output;
	};

	const contradictions = (name: string, output: INodeExecutionData[]) => {
		const isValid = new Ajv({ allowUnionTypes: true }).compile({
			type: 'object',
			...schemaOf(name),
		});
		return output.flatMap(({ json }) => (isValid(json) ? [] : (isValid.errors ?? [])));
	};

	const missing = (name: string, output: INodeExecutionData[]) =>
		offered(schemaOf(name)).filter((path) =>
			output.some(({ json }) => valueAt(json, path) === undefined),
		);

	it('workflow.checkSetup gives what its schema offers', async () => {
		const { output } = await used.run(
			{ resource: 'workflow', operation: 'checkSetup' },
			{ credential: { valuesField: '' } },
		);

		expect(output).not.toHaveLength(0);
		expect(contradictions('workflow.checkSetup', output)).toEqual([]);
		expect(missing('workflow.checkSetup', output)).toEqual([]);
	});

	it.each(scenarios)('$title gives what its schema offers', async ({ title, name }) => {
		const output = await outputOf(title, { simple: true });

		expect(contradictions(name, output)).toEqual([]);
		expect(missing(name, output)).toEqual([]);
	});

	it.each(scenarios.filter(({ name }) => /FromFiles|extraction.getAll/.test(name)))(
		'$title contradicts its schema in the raw form neither',
		async ({ title, name }) => {
			expect(contradictions(name, await outputOf(title, { simple: false }))).toEqual([]);
		},
	);
});
