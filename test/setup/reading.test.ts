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

	it.each(['3.0.3', '3.1.0', '3.2.0'])('knows OpenAPI %s', (openapi) => {
		expect(findingsOf({ openapi, paths: {} }).proposals).toEqual([]);
	});

	it.each([
		[{ openapi: '3.1.0' }],
		[{ openapi: '3.0.0', paths: null }],
		[{ openapi: '3.0.0', paths: [] }],
		[{ swagger: '2.0', paths: { '/a': null, b: 1, '/c': [] } }],
	])('finds nothing where there are no operations: %j', (document) => {
		expect(findingsOf(document).proposals).toEqual([]);
	});

	it('reads an object that holds itself', () => {
		const document: { [key: string]: unknown } = { openapi: '3.0.0' };
		document.paths = { '/': document, '/x': { get: document } };
		expect(findingsOf(document).proposals).toEqual([]);
	});
});
