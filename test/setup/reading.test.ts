import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from 'n8n-workflow';
import { readOpenApi } from '../../nodes/DocumentExtraction/setup/reading';
import { CONFIRM, findingsOf, openApi, said, UPLOAD, type JsonMap } from './documents';

function refusalOf(input: unknown): string {
	try {
		readOpenApi(input);
	} catch (error) {
		expect(error).toBeInstanceOf(UserError);
		return (error as UserError).message;
	}
	return 'read';
}

describe('reading an OpenAPI document', () => {
	it.each([
		['<!doctype html><html><body>Sign in</body></html>', 'This is a web page or XML'],
		['openapi: 3.0.0\ninfo:\n  title: x\n', 'This OpenAPI document is YAML'],
		['# The API\n---\nswagger: "2.0"\n', 'This OpenAPI document is YAML'],
		['my reference', 'it is not valid JSON'],
		['{"openapi": "3.0.0", "paths": {', 'it is not valid JSON'],
		['[]', 'This is JSON, but not an OpenAPI document'],
		[42, 'This is JSON, but not an OpenAPI document'],
		[{}, 'This is JSON, but not an OpenAPI document'],
		[{ swagger: '1.2' }, 'This is JSON, but not an OpenAPI document'],
		[{ openapi: '4.0.0' }, 'This is JSON, but not an OpenAPI document'],
		[{ openapi: { toString: 1 } }, 'This is JSON, but not an OpenAPI document'],
		[JSON.stringify({ openapi: 'x'.repeat(6e6) }), 'The OpenAPI document is too large'],
	])('refuses input %# in words', (input, message) => {
		expect(refusalOf(input)).toContain(message);
	});

	it('takes text with a byte order mark, and an object', () => {
		const document = openApi({});
		expect(readOpenApi(`\uFEFF ${JSON.stringify(document)}\n`)).toEqual(document);
		expect(readOpenApi(document)).toEqual(document);
	});

	const itself: { [key: string]: unknown } = { openapi: '3.0.0' };
	itself.paths = { '/': itself, '/x': { get: itself } };

	it.each([
		['OpenAPI 3.0', { openapi: '3.0.3', paths: {} }],
		['OpenAPI 3.2', { openapi: '3.2.0', paths: {} }],
		['what has no paths', { openapi: '3.1.0' }],
		['null for paths', { openapi: '3.0.0', paths: null }],
		['a list for paths', { openapi: '3.0.0', paths: [] }],
		['paths of no operations', { swagger: '2.0', paths: { '/a': null, b: 1, '/c': [] } }],
		['an object that holds itself', itself],
	])('finds nothing in %s', (_, document) => {
		expect(findingsOf(document).proposals).toEqual([]);
	});
});

const FOLDER = resolve(__dirname, '../fixtures/openapi');

const textOf = (file: string) => readFileSync(resolve(FOLDER, file), 'utf8');

/** The service's document, were this path of it another one. */
function withPathNamed(file: string, from: string, to: string): JsonMap {
	const { paths, ...rest } = readOpenApi(textOf(file)) as JsonMap & { paths: JsonMap };
	const { [from]: moved, ...others } = paths;
	expect(moved).toBeDefined();
	return { ...rest, paths: { ...others, [to]: moved } };
}

describe('the OpenAPI document of another service', () => {
	it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.json')))(
		'%s says nothing',
		(file) => {
			expect(findingsOf(textOf(file))).toEqual({ proposals: [], isCutShort: false });
		},
	);

	it.each<[string, string, string[]]>([
		['petstore.swagger-2.0.json', '/pet/{petId}/uploadImage', ['file']],
		['galaxy.openapi-3.1.json', '/planets/{planetId}/image', ['image']],
		['id4i.spring.json', '/api/v1/organizations/{organizationId}/logo', ['file']],
		// Its file is a text with a description, and so anybody's guess.
		['appwrite.openapi-3.0.json', '/storage/files', []],
		['open-states.fastapi.json', '/people', []],
	])('%s: were %s the upload endpoint, its file field would be known', (file, from, fields) => {
		expect(said(withPathNamed(file, from, UPLOAD), 'uploadFileField').fixed).toEqual(fields);
	});

	it.each([
		['petstore.swagger-2.0.json', '/user', { id: '<integer>', username: '<string>' }],
		['galaxy.openapi-3.1.json', '/auth/token', { email: '<string>', password: '<string>' }],
		['nest-auth.nestjs.json', '/refresh-token', { refreshToken: '<string>' }],
		['airbyte.openapi-3.0.json', '/v1/connections/reset', { connectionId: '<string>' }],
	])('%s: were %s the confirm endpoint, its body would be printed', (file, from, body) => {
		const document = withPathNamed(file, from, CONFIRM);
		expect(said(document, 'confirmMethod').fixed).toEqual(['POST']);
		const [note] = said(document, 'confirmBody').notes;
		expect(JSON.parse(note.split(/ Body of \S+ \S+: /)[1])).toMatchObject(body);
	});
});
