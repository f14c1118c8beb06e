import fc from 'fast-check';

import {
	BINARY,
	CONFIRM,
	findingsOf,
	jsonBody,
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
	return openApi(
		{
			[UPLOAD]: {
				post: { ...multipart(schema), ...returning(schema, {}) },
				get: returning(schema),
			},
			[WORKFLOW]: { get: returning(schema) },
			[CONFIRM]: { post: jsonBody(schema) },
			'/api/v1/workflows/{w}/extractions': { get: returning(schema) },
			'/api/v1/sign': { post: returning(schema, jsonBody(schema)) },
			'/api/v1/sign/again': { put: returning(schema, jsonBody(schema)) },
		},
		{ openapi: '3.1.0', components: { schemas } },
	);
}

/** Each takes less than one by itself; on a busy machine, processor time is worth less, too. */
const MOST_CPU_SECONDS = 10;
const MOST_BYTES = 400e6;

/** Finds everything, and fails where that takes too long. */
function quickly(document: Json | string) {
	const text = typeof document === 'string' ? document : JSON.stringify(document);
	expect(text.length).toBeLessThan(5 * 1024 * 1024);
	// Not by the clock: a machine that is busy with other things tells nothing of this code.
	const started = process.cpuUsage();
	const before = process.memoryUsage().heapUsed;
	const found = findingsOf(text);
	expect(process.cpuUsage(started).user / 1e6).toBeLessThan(MOST_CPU_SECONDS);
	expect(process.memoryUsage().heapUsed - before).toBeLessThan(MOST_BYTES);
	return found;
}

/** So many schemas, properties or paths, by their numbers. */
const many = (count: number, valueOf: (index: number) => Json, prefix = ''): JsonMap =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [prefix + index, valueOf(index)]));

describe('an OpenAPI document that was not made to be read', () => {
	it('follows references to operations, parameters, bodies and responses', () => {
		const document = openApi(
			{ [UPLOAD]: { $ref: '#/components/pathItems/Upload' } },
			{
				openapi: '3.1.0',
				components: {
					pathItems: {
						Upload: {
							post: {
								requestBody: { $ref: '#/components/requestBodies/A' },
								responses: { 201: { $ref: '#/components/responses/A' } },
							},
						},
					},
					requestBodies: {
						A: { $ref: '#/components/requestBodies/B' },
						B: { content: { 'multipart/form-data': { schema: object({ file: BINARY }) } } },
					},
					responses: { A: { content: { '*/*': { schema: object({ document_id: {} }) } } } },
				},
			},
		);
		expect(said(document, 'uploadFileField').fixed).toEqual(['file']);
		expect(said(document, 'documentIdField').fixed).toEqual(['document_id']);
	});

	it.each<[string, string]>([
		['another host', 'https://evil.example/schemas.json#/File'],
		['another host without a scheme', '//evil.example/schemas.json'],
		['a file', './schemas.json#/File'],
		['an anchor', '#File'],
		['nothing', '#/components/schemas/Missing'],
		['itself', '#/components/schemas/Self'],
		['a circle', '#/components/schemas/A'],
		['a prototype', '#/components/__proto__/constructor'],
		['the length of a list', '#/components/schemas/List/length'],
		['a text', '#/info/title'],
		['broken encoding', '#/components/%E0%A4%A'],
	])('a reference to %s gives nothing', (_, $ref) => {
		const document = openApi(
			{
				[UPLOAD]: {
					post: { ...multipart(object({ file: { $ref } })), responses: { 200: { $ref } } },
				},
				[WORKFLOW]: { $ref },
			},
			{
				components: { schemas: { Self: ref('Self'), A: ref('B'), B: ref('A'), List: [] } },
			},
		);
		expect(quickly(document).proposals.filter(({ says }) => says === 'fixed')).toEqual([]);
	});

	it('finds what stands in a schema that contains itself', () => {
		const node = object({
			document_id: { type: 'string' },
			is_extracting: { type: 'boolean' },
			children: { type: 'array', items: ref('Node') },
			parent: { anyOf: [ref('Node'), { type: 'null' }] },
		});
		const document = everywhere(ref('Node'), { Node: node });
		expect(quickly(document).isCutShort).toBe(false);
		expect(said(document, 'documentIdField').fixed).toEqual(['document_id']);
		expect(said(document, 'workflowEndpoint').fixed).toEqual(['GET /workflows/{workflow_id}']);
	});

	it('takes __proto__ and constructor for the names that they are', () => {
		const text = `{
			"openapi": "3.1.0", "__proto__": {"swagger": "2.0"},
			"paths": {
				"__proto__": {"get": {}}, "constructor": {"get": {}},
				"${CONFIRM}": {"post": {"requestBody": {"content": {"application/json": {"schema":
					{"properties": {"__proto__": {"type": "string"}, "constructor": {"type": "integer"}}}}}}}},
				"${UPLOAD}": {"post": {"requestBody": {"content": {"multipart/form-data": {"schema":
					{"properties": {"__proto__": {"format": "binary"}}}}}}}}
			}
		}`;
		expect(said(text, 'confirmBody').notes).toEqual([
			'Enter the body that follows. In place of each <…>, put a value or a placeholder: {file_name}, {content_type}, {file_size}, {workflow_id}, {collection_id}, {collection_name} or, in Confirm Body, {document_id}. Body of POST /workflows/{workflow_id}/documents/confirm: {"__proto__":"<string>","constructor":"<integer>"}',
		]);
		expect(said(text, 'uploadFileField').fixed).toEqual(['__proto__']);
		expect({}).not.toHaveProperty('swagger');
	});

	describe('soon', () => {
		const PATH = '/api/v1/workflows/{w}/p';
		const URL_FIELD = { format: 'uri' };

		it.each<[string, () => Json]>([
			[
				'choices that double at each of 200 levels',
				() =>
					everywhere(
						ref(0),
						many(200, (index) => ({
							anyOf: [ref(index + 1), { allOf: [ref(index + 1), object({ [`p${index}`]: {} })] }],
						})),
					),
			],
			[
				'300 schemas that all contain each other',
				() =>
					everywhere(
						ref(0),
						many(300, (index) =>
							object(many(300, ref), { ...URL_FIELD, allOf: [ref((index + 1) % 300)] }),
						),
					),
			],
			[
				'20,000 properties that each lead through 50,000 references',
				() =>
					everywhere(ref('All'), {
						...many(50_000, (index) => ref(index + 1)),
						All: object(many(20_000, () => ref(0), 'url_id_')),
					}),
			],
			[
				'20,000 operations that share one response of 5,000 properties',
				() => {
					const answer = returning(ref('Big'), jsonBody(ref('Big')));
					const shared = { components: { pathItems: { Shared: { get: answer, post: answer } } } };
					const paths = many(20_000, () => ({ $ref: '#/components/pathItems/Shared' }), PATH);
					const Big = object(many(5_000, () => URL_FIELD, 'url'));
					return openApi(
						{ ...paths, [CONFIRM]: { post: jsonBody(ref('Big')) } },
						{ openapi: '3.1.0', components: { ...shared.components, schemas: { Big } } },
					);
				},
			],
			[
				'9,000 operations that share one response of 20,000 media types',
				() => {
					const Shared = { content: many(20_000, () => ({ schema: ref('One') })) };
					const responses = { 200: { $ref: '#/components/responses/Shared' } };
					const schemas = { One: object({ is_extracting: {} }) };
					return openApi(
						many(9_000, () => ({ get: { responses } }), PATH),
						{ components: { responses: { Shared }, schemas } },
					);
				},
			],
			[
				'an enum of 300,000 values behind 2,000 properties',
				() =>
					everywhere(ref('All'), {
						Status: { enum: Array.from({ length: 300_000 }, (_, index) => `s${index}`) },
						Entry: object({ extraction_status: ref('Status') }),
						All: object(many(2_000, () => ref('Entry'))),
					}),
			],
			[
				'names and references a megabyte long',
				() => {
					const long = '{a'.repeat(250_000);
					return openApi(
						{
							[`/${long}`]: { get: returning({ $ref: `#/${'a/'.repeat(250_000)}` }) },
							[UPLOAD]: { post: returning(object({ [`${long}Id`]: { type: 'string' } })) },
						},
						{ servers: [{ url: `https://${long}` }] },
					);
				},
			],
		])('%s', (_, document) => {
			expect(Array.isArray(quickly(document()).proposals)).toBe(true);
		});

		const deep = `${'{"properties":{"data":'.repeat(150_000)}{"properties":{"is_extracting":{}}}${'}}'.repeat(150_000)}`;

		it.each([
			['JSON', `${'['.repeat(250_000)}${']'.repeat(250_000)}`],
			[
				'a schema',
				`{"${WORKFLOW}":{"get":{"responses":{"200":{"content":{"a/json":{"schema":${deep}}}}}}}}`,
			],
		])('%s nested more than 100,000 levels deep', (_, paths) => {
			expect(quickly(`{"openapi":"3.0.0","paths":${paths}}`).proposals).toEqual([]);
		});
	});

	it('takes nothing for certain where there is more than it reads', () => {
		const document = (paths: number) =>
			openApi(
				{
					[UPLOAD]: { post: multipart(object({ file: BINARY })) },
					...many(paths, () => ({ get: returning(ref(0)) }), '/p'),
				},
				{ components: { schemas: { 0: object({ a: {}, b: {}, c: {} }) } } },
			);
		expect(quickly(document(1000)).isCutShort).toBe(false);
		expect(said(document(1000), 'uploadFileField').fixed).toEqual(['file']);
		const { proposals, isCutShort } = quickly(document(25_000));
		expect(isCutShort).toBe(true);
		expect(proposals.filter(({ says }) => says === 'fixed')).toEqual([]);
	});

	it('is not misled by what looks like the methods of an object', () => {
		const object = { toString: 1, valueOf: 2 };
		const document = everywhere(
			{ properties: { url: { format: object, type: object, enum: [object], readOnly: object } } },
			{},
		);
		expect(new Set(said(document, 'uploadUrlField').possible)).toEqual(new Set(['url']));
		const base = { swagger: '2.0', paths: { '/workflows/{w}': { get: {} } }, basePath: object };
		expect(findingsOf(base).proposals).toEqual([]);
	});

	it('never breaks, whatever JSON it is given', () => {
		const names = fc.constantFrom(
			...['$ref', 'allOf', 'anyOf', 'oneOf', 'items', 'prefixItems', 'properties', 'required'],
			...['type', 'format', 'enum', 'const', 'readOnly', 'contentMediaType', 'schema', 'content'],
			...['parameters', 'in', 'name', 'requestBody', 'responses', '200', 'get', 'post', 'servers'],
			...['document_id', 'document_ids', 'is_extracting', 'extraction_status', 'url', '__proto__'],
			...['multipart/form-data', 'application/json', 'components', 'variables', 'default'],
		);
		const texts = fc.constantFrom(
			...['#', '#/', '#/components', '#/components/a/~1~0', '#/paths', 'object', 'array', 'string'],
			...['binary', 'uri', 'body', 'formData', 'file', 'null', '/api/v1', '{x}', '%', ''],
		);
		const { json } = fc.letrec<{ json: Json; object: JsonMap }>((tie) => ({
			json: fc.oneof(
				{ maxDepth: 8, withCrossShrink: true },
				texts,
				fc.boolean(),
				fc.constant(null),
				fc.integer(),
				fc.array(tie('json'), { maxLength: 4 }),
				tie('object'),
				tie('object'),
			),
			object: fc.dictionary(names, tie('json'), { maxKeys: 6 }),
		}));
		fc.assert(
			fc.property(
				fc.constantFrom<JsonMap>({ openapi: '3.0.0' }, { openapi: '3.1.0' }, { swagger: '2.0' }),
				fc.dictionary(
					fc.constantFrom(UPLOAD, WORKFLOW, CONFIRM, '/sign', 'no path', '/api/v1/{a}/../b'),
					fc.dictionary(names, json),
				),
				fc.dictionary(fc.constantFrom('components', 'servers', 'basePath', 'parameters'), json),
				(version, paths, rest) => {
					const document: JsonMap = { ...version, ...rest, paths };
					for (const { value, why } of quickly(document).proposals) {
						expect([typeof value, typeof why]).toEqual(['string', 'string']);
					}
				},
			),
			{ numRuns: 250 },
		);
	});
});
