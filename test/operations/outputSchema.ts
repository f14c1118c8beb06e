import Ajv from 'ajv';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { OutputField } from '../../nodes/DocumentExtraction/actions/operation';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { nameOf } from './scenarios';

type Schema = Pick<OutputField, 'properties'>;

/** What an operation says it outputs; some only hand on what the service responds. */
function schemaOf(name: string): Schema {
	const output = OPERATIONS.find((operation) => nameOf(operation) === name)?.output;
	return output === undefined || output === 'raw' ? {} : { properties: output };
}

/** The fields that the editor offers, as it draws them: an object's own fields are offered too. */
function offered({ properties = {} }: Schema, path: string[] = []): string[][] {
	return Object.entries(properties).flatMap(([name, inner]) => [
		[...path, name],
		...offered(inner, [...path, name]),
	]);
}

const valueAt = (json: IDataObject, path: string[]) =>
	path.reduce<unknown>((value, name) => (value as IDataObject | undefined)?.[name], json);

/** What contradicts the schema of an operation, such as `workflow.get`. */
export function contradictions(name: string, output: INodeExecutionData[]) {
	const schema = { type: 'object', ...schemaOf(name) };
	const isValid = new Ajv({ allowUnionTypes: true }).compile(schema);
	return output.flatMap(({ json }) => (isValid(json) ? [] : (isValid.errors ?? [])));
}

/** The fields that the schema offers, and not every item has. */
export const missing = (name: string, output: INodeExecutionData[]) =>
	offered(schemaOf(name)).filter((path) =>
		output.some(({ json }) => valueAt(json, path) === undefined),
	);
