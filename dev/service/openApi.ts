/**
 * The account's OpenAPI document, made from the service's own routes and from what the profile answers
 * about a few documents, so that it agrees with both.
 */
import type { RouteOptions } from 'fastify';
import { createAccount } from './account.ts';
import { pdfAnswer } from './answers.ts';
import type { JsonSchema } from './model.ts';
import type { Form, Operation } from './operations.ts';
import { pageEnvelope } from './pages.ts';
import type { Answer, Dialect, Profile } from './profiles/profile.ts';
import { Store } from './store.ts';

const PREFIX = '/api/v1';
const ANY_PAGE = { page: 1, limit: 50 };
const FILE_URL = 'https://files.example/document.pdf';

/** @param url the service's own address */
export function openApiOf(profile: Profile, routes: RouteOptions[], url: string) {
	const { version, server } = profile.reference.dialect;
	const schemas = new Schemas(profile);
	const answers = answersOf(profile);
	const paths: Record<string, Record<string, unknown>> = {};
	for (const { method, url: whole, schema, config } of routes) {
		const { operation = 'unknown', form } = config ?? {};
		if (method === 'HEAD') continue;
		const path = whole.slice(server ? PREFIX.length : 0).replaceAll(/:(\w+)/g, '{$1}');
		const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
			...{ name, in: 'path', required: true, schema: { type: 'string' } },
		}));
		const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
		const query = Object.entries(properties).map(([name, described]) => ({
			...{ name, in: 'query', schema: described as JsonSchema },
		}));
		(paths[path] ??= {})[String(method).toLowerCase()] = {
			operationId: operation,
			parameters: [...parameters, ...query],
			...(schema?.body ? schemas.jsonBody(operation, schema.body as JsonSchema) : {}),
			...(form ? schemas.formBody(operation, form) : {}),
			responses: schemas.responses(operation, answers[operation] ?? []),
		};
	}
	return {
		openapi: version,
		info: { title: `Document Extraction (${profile.name})`, version: 'v1' },
		...(server && { servers: [{ url: server(url) }] }),
		paths,
		components: { schemas: schemas.named },
	};
}

/** What the service answers, about a document in each of its states. */
function answersOf(profile: Profile): { [operation in Operation]?: Answer[] } {
	const store = new Store(profile, createAccount(profile), () => FILE_URL);
	const [{ id }] = Object.values(createAccount(profile).test.workflows);
	const workflow = store.workflow(id);
	const documents = (['waiting', 'running', 'finished', 'failed'] as const).map((state, index) => {
		const collection = workflow.collections.at(index);
		const description = { fileName: 'invoice.pdf', contentType: 'application/pdf', collection };
		const document = store.addDocument(workflow, { ...description, confirmed: true });
		const values = workflow.columns.map(({ id: column }) => [column, null] as const);
		return Object.assign(document, { state, values: new Map(values) });
	});
	const [document] = documents;
	const pdf = pdfAnswer({ key: 'merged', fileName: 'merged.pdf', bytes: Buffer.from('%PDF') });
	const merged = { pdf, storageUrl: FILE_URL, apiUrl: FILE_URL, fileName: 'merged.pdf', pages: 2 };
	const results = documents.flatMap((one) => profile.results(one, FILE_URL));
	return {
		getWorkflow: [false, true].map((isExtracting) => profile.workflow(workflow, isExtracting)),
		upload: documents.map((one) => profile.uploaded(one)),
		createUploadUrl: [profile.uploadUrl.answer({ document, url: FILE_URL, expiresAt: new Date() })],
		confirm: [profile.confirmed(documents)],
		extractBulk: [profile.bulkExtract],
		extractOne: documents.map((one) => profile.singleExtract.answer(one)),
		getDocuments: [{ status: 200, body: profile.listDocuments(documents, ANY_PAGE) }],
		getExtractions: [
			{ status: 200, body: pageEnvelope(results, { page: 1, limit: 200 }, ({ body }) => body) },
		],
		merge: [profile.merge.answer(merged)],
		downloadMerged: [pdf],
	};
}

class Schemas {
	readonly named: Record<string, JsonSchema> = {};
	private readonly dialect: Dialect;
	private readonly columns: Set<string>;

	constructor(profile: Profile) {
		this.dialect = profile.reference.dialect;
		const { workflows } = createAccount(profile).test;
		this.columns = new Set(
			Object.values(workflows).flatMap((own) => own.columns.map((c) => c.name)),
		);
	}

	jsonBody(operation: Operation, body: JsonSchema) {
		const schema = this.called(`${capital(operation)}Body`, this.inVersion(body) as JsonSchema);
		return { requestBody: { content: { 'application/json': { schema } } } };
	}

	formBody(operation: Operation, form: Form) {
		const [fileField] = form.required;
		const properties = { [fileField]: this.dialect.file, ...form.properties };
		const whole = this.inVersion({ type: 'object', ...form, properties }) as JsonSchema;
		const schema = this.called(`${capital(operation)}Form`, whole);
		return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
	}

	/** What an operation answers by status, with the first of its answers as the example. */
	responses(operation: string, answers: Answer[]) {
		const statuses = [...new Set(answers.map(({ status }) => status))];
		const described = statuses.map((status) => {
			const same = answers.filter((answer) => answer.status === status);
			const [{ body: example, contentType = 'application/json' }] = same;
			const description = `Status ${status}`;
			if (example === undefined) return [status, { description }] as const;
			const isFile = example instanceof Buffer;
			const name = `${capital(operation)}${status}`;
			const schema = isFile
				? this.dialect.file
				: this.of(
						same.map(({ body }) => body),
						name,
					);
			const content = { [contentType]: { schema, ...(!isFile && { example }) } };
			return [status, { description, content }] as const;
		});
		return Object.fromEntries(described);
	}

	/** A schema that holds for all these values. */
	private of(values: unknown[], name: string): JsonSchema {
		const some = values.filter((value) => value !== null && value !== undefined);
		const type = [...new Set(some.map((value) => (Array.isArray(value) ? 'array' : typeof value)))];
		const schema = type.length === 1 ? this.ofType(type[0], some, name) : {};
		const isNullable = type.length === 1 && some.length < values.length;
		return isNullable ? this.orNull(schema) : schema;
	}

	private ofType(type: string, values: unknown[], name: string): JsonSchema {
		if (type === 'array') return { type, items: this.of((values as unknown[][]).flat(), name) };
		if (type === 'object') return this.ofObjects(values as object[], name);
		if (name.endsWith('_status')) return { ...scalar(values[0]), enum: [...new Set(values)] };
		return scalar(values[0]);
	}

	private ofObjects(values: object[], name: string): JsonSchema {
		const keys = [...new Set(values.flatMap((value) => Object.keys(value)))];
		// Columns are the workflow's: no reference names them.
		if (keys.length > 0 && keys.every((key) => this.columns.has(key))) {
			return { type: 'object', additionalProperties: {} };
		}
		const properties = keys.map((key) => {
			const own = values.flatMap((value) => (key in value ? [value[key as never]] : []));
			return [key, this.of(own, key)] as const;
		});
		const required = keys.filter((key) => values.every((value) => key in value));
		const schema = { type: 'object', required, properties: Object.fromEntries(properties) };
		return this.called(capital(name), schema);
	}

	/** A schema as its author writes it down: in place, or by its name. */
	private called(name: string, schema: JsonSchema): JsonSchema {
		const { style } = this.dialect;
		if (style === 'inline') return schema;
		const text = JSON.stringify(schema);
		let own = name;
		for (let count = 2; own in this.named && JSON.stringify(this.named[own]) !== text; count++) {
			own = `${name}${count}`;
		}
		this.named[own] = schema;
		const ref = { $ref: `#/components/schemas/${own}` };
		return style === 'composed' ? { allOf: [ref], description: `One ${own}` } : ref;
	}

	private orNull(schema: JsonSchema): JsonSchema {
		if (this.dialect.version === '3.0.3') return { ...schema, nullable: true };
		return typeof schema.type === 'string'
			? { ...schema, type: [schema.type, 'null'] }
			: { anyOf: [schema, { type: 'null' }] };
	}

	/** The service validates as OpenAPI 3.1 does: 3.0 has another word for null. */
	private inVersion(schema: unknown): unknown {
		if (this.dialect.version === '3.1.0' || schema === null || typeof schema !== 'object') {
			return schema;
		}
		if (Array.isArray(schema)) return schema.map((one) => this.inVersion(one));
		const { type, ...rest } = schema as JsonSchema;
		const others = Object.entries(rest).map(([key, value]) => [key, this.inVersion(value)]);
		const inner = Object.fromEntries(others) as JsonSchema;
		if (!Array.isArray(type)) return type === undefined ? inner : { type, ...inner };
		return { type: type.find((one) => one !== 'null') as string, nullable: true, ...inner };
	}
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function scalar(value: unknown): JsonSchema {
	if (typeof value !== 'string') {
		return { type: Number.isInteger(value) ? 'integer' : typeof value };
	}
	if (/^https?:\/\//.test(value)) return { type: 'string', format: 'uri' };
	if (/^\d{4}-\d\d-\d\dT/.test(value)) return { type: 'string', format: 'date-time' };
	return { type: 'string' };
}
