/** What users' workflows, credentials and later nodes hold of the node: its fields without their texts. */
import type {
	ICredentialType,
	IDataObject,
	INodeProperties,
	INodeTypeDescription,
} from 'n8n-workflow';
import { DocumentExtractionApi } from '../../credentials/DocumentExtractionApi.credentials';
import { API_DETAILS } from '../../nodes/DocumentExtraction/account/apiDetails';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node.ts';

/** By place, e.g. `extraction.extractFromFiles.options.maxWait`. */
export type Contract = Record<string, IDataObject>;

/** JSON Schema of an operation's output. */
export interface OutputSchema {
	type?: string | string[];
	properties?: { [field: string]: OutputSchema };
}

type Places = Array<[place: string, spec: object]>;

const CHOICES = ['options', 'multiOptions'];
/** Their conditions stand in a field's place. */
const CHOSEN_FIRST = ['resource', 'operation'];

/** A field without its texts, and without the resource and the operation that it belongs to. */
function specOf(field: INodeProperties): object {
	const { show = {}, hide } = field.displayOptions ?? {};
	const conditions = Object.entries(show).filter(([name]) => !CHOSEN_FIRST.includes(name));
	return {
		type: field.type,
		default: field.default,
		required: field.required,
		noDataExpression: field.noDataExpression,
		typeOptions: field.typeOptions,
		values: CHOICES.includes(field.type)
			? (field.options ?? []).flatMap((option) => ('value' in option ? [option.value] : [])).sort()
			: undefined,
		modes: field.modes?.map(({ name, type, typeOptions }) => ({ name, type, typeOptions })),
		show: conditions.length > 0 ? Object.fromEntries(conditions) : undefined,
		hide,
	};
}

/** A field and the fields in it, if it is a collection. */
function placesOf(field: INodeProperties, prefix: string): Places {
	const place = `${prefix}${field.name}`;
	const inner = (field.options ?? []).flatMap((option): Places => {
		if ('type' in option) return placesOf(option, `${place}.`);
		if (!('values' in option)) return [];
		return option.values.flatMap((own) => placesOf(own, `${place}.${option.name}.`));
	});
	return [[place, specOf(field)], ...inner];
}

/** Where a field of the node stands: one may be declared for several operations. */
function prefixesOf({ displayOptions }: INodeProperties): string[] {
	const { resource: resources, operation: operations } = displayOptions?.show ?? {};
	if (!resources) return [''];
	if (!operations) return resources.map((resource) => `${resource}.`);
	return resources.flatMap((resource) => operations.map((name) => `${resource}.${name}.`));
}

function schemaPlaces({ type, properties = {} }: OutputSchema, path: string): Places {
	const inner = Object.entries(properties).flatMap(([name, schema]) =>
		schemaPlaces(schema, `${path}.${name}`),
	);
	return [[path, { type }], ...inner];
}

/**
 * @param schemas what operations output, by `resource.operation`
 * @throws Error where two fields of one operation have the same name
 */
export function contractOf(
	node: INodeTypeDescription,
	credential: ICredentialType,
	schemas: { [operation: string]: OutputSchema },
): Contract {
	const { name, version, inputs, outputs, credentials, usableAsTool, properties } = node;
	const places: Places = [
		['node', { name, version, inputs, outputs, credentials, usableAsTool }],
		...properties.flatMap((field) =>
			prefixesOf(field).flatMap((prefix) => placesOf(field, prefix)),
		),
		['credential', { name: credential.name }],
		...credential.properties.flatMap((field) => placesOf(field, 'credential.')),
		...Object.values(API_DETAILS).map(({ label, default: otherwise }): Places[number] => [
			`credential.apiDetails.${label}`,
			{ default: otherwise },
		]),
		...Object.entries(schemas).flatMap(([operation, schema]) =>
			schemaPlaces(schema, `output of ${operation}`),
		),
	];
	const contract = Object.fromEntries(places);
	if (Object.keys(contract).length < places.length) throw new Error('Two fields have one place');
	// As a file holds it: without what is undefined.
	return JSON.parse(JSON.stringify(contract)) as Contract;
}

const schemas = Object.fromEntries(
	OPERATIONS.flatMap(({ resource, value, output }) =>
		output === 'raw' ? [] : [[`${resource}.${value}`, { type: 'object', properties: output }]],
	),
);

/** The contract of the node as it is, or with another description. */
export const contractOfTheNode = (description = new DocumentExtraction().description) =>
	contractOf(description, new DocumentExtractionApi(), schemas);
