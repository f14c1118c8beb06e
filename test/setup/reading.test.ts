import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from 'n8n-workflow';
import { operationsIn } from '../../nodes/DocumentExtraction/setup/reference';
import { findingsOf, openApi, said, UPLOAD, type JsonMap } from './documents';

function refusalOf(input: unknown): string {
	try {
		operationsIn(input);
	} catch (error) {
		expect(error).toBeInstanceOf(UserError);
		return (error as UserError).message;
	}
	return 'read';
}

describe('reading an OpenAPI document', () => {
	it.each([
		['<!doctype html><html><body>Sign in</body></html>', 'It begins with: ‹!doctype html›'],
		['openapi: 3.0.0\ninfo:\n  title: x\n', 'It begins with: openapi: 3.0.0'],
		['{"openapi": "3.0.0", "paths": {', 'It begins with: {"openapi"'],
		[42, 'It begins with: 42'],
		[{ swagger: '2.0' }, 'It begins with: swagger'],
		[{ openapi: '4.0.0' }, 'It begins with: openapi'],
		[{ openapi: { toString: 1 } }, 'It begins with: openapi'],
		[JSON.stringify({ openapi: 'x'.repeat(6e6) }), 'The OpenAPI document is too large'],
	])('refuses input %# in words', (input, message) => {
		expect(refusalOf(input)).toContain(message);
	});

	it('takes text with a byte order mark, and an object', () => {
		const document = openApi({});
		expect(operationsIn(`\uFEFF ${JSON.stringify(document)}\n`)).toEqual(operationsIn(document));
		expect(operationsIn(document)).toHaveLength(1);
	});

	const itself: { [key: string]: unknown } = { openapi: '3.0.0' };
	itself.paths = { '/': itself, '/x': { get: itself } };

	it.each([
		['OpenAPI 3.2', { openapi: '3.2.0', paths: {} }],
		['what has no paths', { openapi: '3.1.0' }],
		['a list for paths', { openapi: '3.0.0', paths: [] }],
		['paths of no operations', { openapi: '3.0.0', paths: { '/a': null, b: 1, '/c': [] } }],
		['an object that holds itself', itself],
	])('finds nothing in %s', (_, document) => {
		expect(findingsOf(document)).toEqual([]);
	});
});

const FOLDER = resolve(__dirname, '../fixtures/openapi');
const textOf = (file: string) => readFileSync(resolve(FOLDER, file), 'utf8');

describe('the OpenAPI document of another service', () => {
	it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.json')))(
		'%s says nothing',
		(file) => {
			expect(findingsOf(textOf(file))).toEqual([]);
		},
	);

	it.each<[string, string, string[]]>([
		['galaxy.openapi-3.1.json', '/planets/{planetId}/image', ['image']],
		['id4i.spring.json', '/api/v1/organizations/{organizationId}/logo', ['file']],
		// Its file is a text with a description, and so anybody's guess.
		['appwrite.openapi-3.0.json', '/storage/files', []],
	])('%s: were %s the upload endpoint, its file field would be known', (file, from, fields) => {
		const { paths, ...rest } = JSON.parse(textOf(file).replace(/^\uFEFF/, '')) as JsonMap & {
			paths: JsonMap;
		};
		const document = { ...rest, paths: { [UPLOAD]: paths[from] } };
		expect(said(document, 'uploadFileField').fixed).toEqual(fields);
	});
});
