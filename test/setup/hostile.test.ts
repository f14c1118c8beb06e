import fc from 'fast-check';

import {
	BINARY,
	findingsOf,
	multipart,
	object,
	openApi,
	ref,
	returning,
	said,
	UPLOAD,
	WORKFLOW,
	type Json,
	type JsonMap,
} from './documents';

/** An account's document whose every schema is this one. */
function everywhere(schema: Json, schemas: JsonMap): JsonMap {
	const all = { ...multipart(schema), ...returning(schema) };
	const paths = {
		[UPLOAD]: { post: all, get: all },
		[WORKFLOW]: { get: all },
		'/api/v1/sign': { post: all, put: all },
	};
	return openApi(paths, { components: { schemas } });
}

/** Each takes less than one by itself; on a busy machine, processor time is worth less, too. */
const MOST_CPU_SECONDS = 10;
const MOST_BYTES = 400e6;

/** Finds everything, or says that it is too much, and fails where that takes too long. */
function quickly(document: Json | string) {
	const text = typeof document === 'string' ? document : JSON.stringify(document);
	expect(text.length).toBeLessThan(5 * 1024 * 1024);
	// Not by the clock: a machine that is busy with other things tells nothing of this code.
	const started = process.cpuUsage();
	const before = process.memoryUsage().heapUsed;
	let found: ReturnType<typeof findingsOf> = [];
	try {
		found = findingsOf(text);
	} catch (error) {
		expect((error as Error).message).toBe('The OpenAPI document is too large');
	}
	expect(process.cpuUsage(started).user / 1e6).toBeLessThan(MOST_CPU_SECONDS);
	expect(process.memoryUsage().heapUsed - before).toBeLessThan(MOST_BYTES);
	return found;
}

/** So many schemas, properties or paths, by their numbers. */
const many = (count: number, valueOf: (index: number) => Json, prefix = ''): JsonMap =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [prefix + index, valueOf(index)]));

it('references to operations, bodies and responses are followed', () => {
	const form = { content: { 'multipart/form-data': { schema: object({ file: BINARY }) } } };
	const answer = { content: { '*/*': { schema: object({ document_id: {} }) } } };
	const components = {
		pathItems: { A: { post: { requestBody: ref('A'), responses: { 201: ref('C') } } } },
		schemas: { A: ref('B'), B: form, C: answer },
	};
	const document = openApi({ [UPLOAD]: { $ref: '#/components/pathItems/A' } }, { components });
	expect(said(document, 'uploadFileField').fixed).toEqual(['file']);
	expect(said(document, 'documentIdField').fixed).toEqual(['document_id']);
});

it.each([
	['another host', 'https://evil.example/schemas.json#/File'],
	['nothing', '#/components/schemas/Missing'],
	['itself', '#/components/schemas/Self'],
	['a circle', '#/components/schemas/A'],
	['a prototype', '#/components/__proto__/constructor'],
	['the length of a list', '#/components/schemas/List/length'],
	['broken encoding', '#/components/%E0%A4%A'],
])('a reference to %s gives nothing', (_, $ref) => {
	const post = { ...multipart(object({ file: { $ref } })), responses: { 200: { $ref } } };
	const schemas = { Self: ref('Self'), A: ref('B'), B: ref('A'), List: [] };
	const document = openApi(
		{ [UPLOAD]: { post }, [WORKFLOW]: { $ref } },
		{ components: { schemas } },
	);
	expect(quickly(document)).toEqual([]);
});

it('what stands in a schema that contains itself is found', () => {
	const Node = object({
		document_id: { type: 'string' },
		is_extracting: { type: 'boolean' },
		children: { type: 'array', items: ref('Node') },
		parent: { anyOf: [ref('Node'), { type: 'null' }] },
	});
	const document = everywhere(ref('Node'), { Node });
	expect(said(document, 'documentIdField').fixed).toEqual(['document_id']);
	expect(said(document, 'workflowEndpoint').fixed).toEqual(['GET /workflows/{workflow_id}']);
});

it('__proto__ and constructor are names like others', () => {
	const schema = '{"properties": {"__proto__": {"format": "binary"}}}';
	const post = `{"requestBody": {"content": {"multipart/form-data": {"schema": ${schema}}}}}`;
	const text = `{"openapi": "3.1.0", "__proto__": {"swagger": "2.0"}, "paths": {"__proto__": {"get": {}},
		"constructor": {"get": {}}, "${UPLOAD}": {"post": ${post}}}}`;
	expect(said(text, 'uploadFileField').fixed).toEqual(['__proto__']);
	expect({}).not.toHaveProperty('swagger');
});

const URL_FIELD = { format: 'uri' };
const DEEP = `${'{"properties":{"data":'.repeat(150_000)}{}${'}}'.repeat(150_000)}`;

it.each<[string, () => Json | string]>([
	[
		'choices that double at each of 200 levels',
		() =>
			everywhere(
				ref(0),
				many(200, (one) => ({ anyOf: [ref(one + 1), { allOf: [ref(one + 1), {}] }] })),
			),
	],
	[
		'300 schemas that all contain each other',
		() =>
			everywhere(
				ref(0),
				many(300, () => object(many(300, ref), URL_FIELD)),
			),
	],
	[
		'20,000 operations that share one response of 5,000 properties',
		() => {
			const schemas = { Big: object(many(5_000, () => URL_FIELD, 'url')) };
			const paths = many(20_000, () => ({ get: returning(ref('Big')) }), '/p');
			return openApi(paths, { components: { schemas } });
		},
	],
	[
		'a schema more than 100,000 levels deep',
		() => {
			const document = openApi({ [UPLOAD]: { get: returning('DEEP') } });
			return JSON.stringify(document).replace('"DEEP"', DEEP);
		},
	],
])('%s: read soon', (_, document) => {
	expect(Array.isArray(quickly(document()))).toBe(true);
});

it('no JSON breaks it', () => {
	const keys = [
		'$ref allOf anyOf items properties type format enum const content schema requestBody responses',
		'200 get post servers url document_id is_extracting extraction_status __proto__',
		'multipart/form-data application/json',
	];
	const names = fc.constantFrom(...keys.join(' ').split(' '));
	const texts = fc.constantFrom('#', '#/', '#/components', '#/paths/~1~0', 'object', 'binary', '%');
	const { json } = fc.letrec<{ json: Json; object: JsonMap }>((tie) => ({
		json: fc.oneof(
			{ maxDepth: 8, withCrossShrink: true },
			texts,
			fc.constantFrom<Json>(true, null, 1),
			fc.array(tie('json'), { maxLength: 4 }),
			tie('object'),
		),
		object: fc.dictionary(names, tie('json'), { maxKeys: 6 }),
	}));
	const addresses = fc.constantFrom(UPLOAD, WORKFLOW, '/sign', 'no path', '/api/v1/{a}/../b');
	const paths = fc.dictionary(addresses, fc.dictionary(names, json));
	const rest = fc.dictionary(fc.constantFrom('components', 'servers'), json);
	fc.assert(
		fc.property(paths, rest, (own, others) => {
			for (const { value, why } of quickly({ ...openApi(own), ...others })) {
				expect([typeof value, typeof why]).toEqual(['string', 'string']);
			}
		}),
		{ numRuns: 250 },
	);
});
