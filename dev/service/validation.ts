import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import type { JsonSchema } from './model.ts';
import type { Form } from './operations.ts';
import type { ValidationEntry } from './profiles/profile.ts';

/** Becomes an answer with status 422. */
export class InvalidRequestError extends Error {
	constructor(readonly entries: ValidationEntry[]) {
		super(entries.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
	}
}

/** @param loc where in the body */
export const invalidValue = (loc: ValidationEntry['loc'], what: string, input: unknown) =>
	new InvalidRequestError([
		{ type: 'value_error', loc: ['body', ...loc], msg: `Value error, ${what}`, input },
	]);

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

/** By their text: services that start one after the other in a process have the same schemas. */
const compiled = new Map<string, ValidateFunction>();

const compile: FastifySchemaCompiler<JsonSchema> = ({ schema, httpPart }) => {
	const part = httpPart === 'querystring' ? 'query' : (httpPart ?? 'body');
	const validator = part === 'body' ? bodyValidator : queryValidator;
	const key = `${part} ${JSON.stringify(schema)}`;
	const validate = compiled.get(key) ?? (validator.compile(schema) as ValidateFunction);
	compiled.set(key, validate);

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
			done(invalidValue([0], 'JSON decode error', {}));
		}
	});
}

/** Checks the fields of forms, which are no bodies that Fastify validates. */
export function formCheck(form: Form) {
	const validate = compile({
		schema: { type: 'object', ...form },
		method: 'POST',
		url: '',
	});
	return (form: object) => {
		const { error } = validate(form) as { error?: Error };
		if (error) throw error;
	};
}

function entry(part: string, { keyword, params, instancePath, data, message }: ErrorObject) {
	const path = instancePath.split('/').slice(1);
	const loc = [part, ...path.map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
	return keyword === 'required'
		? { type: 'missing', msg: 'Field required', loc: [...loc, String(params.missingProperty)] }
		: { type: keyword, msg: `Input ${message}`, loc, input: data as unknown };
}
