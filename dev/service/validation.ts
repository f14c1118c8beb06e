import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import type { JsonSchema } from './model.ts';
import type { ValidationEntry } from './profiles/profile.ts';

/** Becomes an answer with status 422. */
export class InvalidRequestError extends Error {
	constructor(readonly entries: ValidationEntry[]) {
		super(entries.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
	}
}

const common = {
	allErrors: true,
	strict: false,
	useDefaults: true,
	verbose: true,
	// The schemas are the service's own: to check them takes as long as to compile them.
	validateSchema: false,
} as const;

// A query is text and has to be converted; a body has types of its own.
const queryValidator = formats.default(new Ajv({ ...common, coerceTypes: true }));
const bodyValidator = formats.default(new Ajv(common));

const compile: FastifySchemaCompiler<JsonSchema> = ({ schema, httpPart }) => {
	const part = httpPart === 'querystring' ? 'query' : (httpPart ?? 'body');
	const validate: ValidateFunction = (part === 'body' ? bodyValidator : queryValidator).compile(
		schema,
	);

	return (value: unknown) =>
		validate(value)
			? { value }
			: { error: new InvalidRequestError(validate.errors?.map((e) => entry(part, e)) ?? []) };
};

export function installValidation(app: FastifyInstance) {
	app.setValidatorCompiler(compile);

	// An absent or empty body is `null`, whatever its content type says.
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
		done(null, text === '' ? null : text);
	});
	app.removeContentTypeParser('application/json');
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
		try {
			done(null, text === '' ? null : JSON.parse(String(text)));
		} catch {
			done(
				new InvalidRequestError([
					{ type: 'json_invalid', loc: ['body', 0], msg: 'JSON decode error', input: {} },
				]),
			);
		}
	});
}

/** Checks one value outside a route's schema, such as a form field. */
export function checkField(schema: JsonSchema, value: unknown, name: string) {
	const validate: ValidateFunction = bodyValidator.compile(schema);
	if (!validate(value)) {
		throw new InvalidRequestError(
			validate.errors?.map((error) => ({ ...entry('body', error), loc: ['body', name] })) ?? [],
		);
	}
}

export function missingField(name: string) {
	return new InvalidRequestError([
		{ type: 'missing', loc: ['body', name], msg: 'Field required', input: null },
	]);
}

/** As FastAPI words what Ajv finds. */
const typeWords: Record<string, Pick<ValidationEntry, 'type' | 'msg'>> = {
	string: { type: 'string_type', msg: 'Input should be a valid string' },
	boolean: { type: 'bool_type', msg: 'Input should be a valid boolean' },
	array: { type: 'list_type', msg: 'Input should be a valid list' },
	object: {
		type: 'model_attributes_type',
		msg: 'Input should be a valid dictionary or object to extract fields from',
	},
	integer: {
		type: 'int_parsing',
		msg: 'Input should be a valid integer, unable to parse string as an integer',
	},
};

type Params = ErrorObject['params'];

const words: Record<string, (params: Params) => Pick<ValidationEntry, 'type' | 'msg'>> = {
	required: () => ({ type: 'missing', msg: 'Field required' }),
	minimum: ({ limit }) => ({
		type: 'greater_than_equal',
		msg: `Input should be greater than or equal to ${limit}`,
	}),
	maximum: ({ limit }) => ({
		type: 'less_than_equal',
		msg: `Input should be less than or equal to ${limit}`,
	}),
	format: () => ({ type: 'uuid_parsing', msg: 'Input should be a valid UUID' }),
	enum: ({ allowedValues }: { allowedValues?: unknown[] }) => ({
		type: 'enum',
		msg: `Input should be ${allowedValues?.map((value) => `'${value}'`).join(' or ')}`,
	}),
	pattern: () => typeWords.integer,
	type: ({ type }) => typeWords[String([type].flat()[0]).split(',')[0]],
};

function entry(part: string, { keyword, params, instancePath, data, message }: ErrorObject) {
	const path = instancePath
		.split('/')
		.slice(1)
		.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
		.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
	const missing = keyword === 'required' ? [String(params.missingProperty)] : [];
	const said = words[keyword]?.(params) ?? { type: keyword, msg: message ?? 'Input is not valid' };
	return { ...said, loc: [part, ...path, ...missing], input: data as unknown };
}
