/** What users' workflows, credentials and later nodes hold of the node: everything about its fields but their texts. */
import type {
	ICredentialType,
	IDataObject,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

/** By place, e.g. `extraction.extractFromFiles.options.maxWait`. */
export type Contract = Record<string, IDataObject>;

/** JSON Schema of an operation's output. */
export interface OutputSchema {
	type?: string | string[];
	properties?: { [field: string]: OutputSchema };
}

type Option = INodePropertyOptions | INodeProperties | INodePropertyCollection;
type Places = Array<[place: string, spec: object]>;

const CHOICES = ['options', 'multiOptions'];
/** Their conditions stand in a field's place. */
const CHOSEN_FIRST = ['resource', 'operation'];

const isField = (option: Option): option is INodeProperties => 'type' in option;
const isGroup = (option: Option): option is INodePropertyCollection => 'values' in option;

const valuesOf = ({ options = [] }: INodeProperties) =>
	options.flatMap((option) => (isField(option) || isGroup(option) ? [] : [option.value]));

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
		values: CHOICES.includes(field.type) ? valuesOf(field).sort() : undefined,
		modes: field.modes?.map(({ name, type, typeOptions }) => ({ name, type, typeOptions })),
		show: conditions.length > 0 ? Object.fromEntries(conditions) : undefined,
		hide,
	};
}

/** A field and the fields in it, if it is a collection. */
function placesOf(field: INodeProperties, path: string): Places {
	const place = `${path}.${field.name}`;
	const inner = (field.options ?? []).flatMap((option): Places => {
		if (isField(option)) return placesOf(option, place);
		if (!isGroup(option)) return [];
		return option.values.flatMap((own) => placesOf(own, `${place}.${option.name}`));
	});
	return [[place, specOf(field)], ...inner];
}

const isShown = (
	{ displayOptions }: INodeProperties,
	condition: string,
	value: string | number | boolean,
) => displayOptions?.show?.[condition]?.includes(value) ?? true;

/** Resource, the operations of each, and the fields of each operation, whether declared for it alone or for several. */
function panelPlaces(fields: INodeProperties[]): Places {
	const resources = fields.filter(({ name }) => name === 'resource');
	const operations = fields.filter(({ name }) => name === 'operation');
	const others = fields.filter(({ name }) => !CHOSEN_FIRST.includes(name));
	return [
		...resources.map((field): Places[number] => [field.name, specOf(field)]),
		...resources.flatMap(valuesOf).flatMap((resource): Places => {
			const shown = operations.filter((field) => isShown(field, 'resource', resource));
			return [
				...shown.map((field): Places[number] => [`${resource}.${field.name}`, specOf(field)]),
				...shown.flatMap(valuesOf).flatMap((operation) =>
					others
						.filter((field) => isShown(field, 'resource', resource))
						.filter((field) => isShown(field, 'operation', operation))
						.flatMap((field) => placesOf(field, `${resource}.${operation}`)),
				),
			];
		}),
	];
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
		...panelPlaces(properties),
		['credential', { name: credential.name }],
		...credential.properties.flatMap((field) => placesOf(field, 'credential')),
		...Object.entries(schemas).flatMap(([operation, schema]) =>
			schemaPlaces(schema, `output of ${operation}`),
		),
	];
	const contract = Object.fromEntries(places);
	if (Object.keys(contract).length < places.length) throw new Error('Two fields have one place');
	// As a file holds it: without what is undefined.
	return JSON.parse(JSON.stringify(contract)) as Contract;
}
