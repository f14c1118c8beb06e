import { UserError } from 'n8n-workflow';
import { readOpenApi } from '../../nodes/DocumentExtraction/setup/reading';
import { findingsOf, openApi } from './documents';

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
		['[]', 'This is JSON, but no OpenAPI document'],
		[42, 'This is JSON, but no OpenAPI document'],
		[{}, 'This is JSON, but no OpenAPI document'],
		[{ swagger: '1.2' }, 'This is JSON, but no OpenAPI document'],
		[{ openapi: '4.0.0' }, 'This is JSON, but no OpenAPI document'],
		[{ openapi: { toString: 1 } }, 'This is JSON, but no OpenAPI document'],
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
