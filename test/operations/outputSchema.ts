import Ajv from 'ajv';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { OutputField } from '../../nodes/DocumentExtraction/actions/operation';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { nameOf } from './scenarios';

type Schema = Pick<OutputField, 'properties'>;

/** What the operations say they output; some only hand on what the service responds. */
const SCHEMAS: Record<string, Schema> = Object.fromEntries(
	OPERATIONS.map((operation) => {
		const { output } = operation;
		return [nameOf(operation), { type: 'object', ...(output !== 'raw' && { properties: output }) }];
	}),
);

const ajv = new Ajv({ allowUnionTypes: true });

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
	// It is compiled once.
	const isValid = ajv.compile(SCHEMAS[name]);
	return output.flatMap(({ json }) => (isValid(json) ? [] : (isValid.errors ?? [])));
}

/** The fields that the schema offers, and not every item has. */
export const missing = (name: string, output: INodeExecutionData[]) =>
	offered(SCHEMAS[name]).filter((path) =>
		output.some(({ json }) => valueAt(json, path) === undefined),
	);
