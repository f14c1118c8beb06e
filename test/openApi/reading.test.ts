import { UserError } from 'n8n-workflow';

import { ABOUT, detailsIn, openApi } from './documents';
import { ALL_DETAILS, readOpenApi } from './openApi';

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
		['', 'The OpenAPI document is empty'],
		['  \n ', 'The OpenAPI document is empty'],
		[null, 'The OpenAPI document is empty'],
		[undefined, 'The OpenAPI document is empty'],
		['<!doctype html><html><body>Sign in</body></html>', 'This is a web page or XML'],
		['<?xml version="1.0"?><wadl/>', 'This is a web page or XML'],
		['openapi: 3.0.0\ninfo:\n  title: x\n', 'This OpenAPI document is YAML'],
		['# The API\n---\nswagger: "2.0"\n', 'This OpenAPI document is YAML'],
		['https://api.example.com/openapi.json', 'it is not JSON'],
		['{"openapi": "3.0.0", "paths": {', 'The OpenAPI document is not valid JSON'],
		['[]', 'it is JSON, but not an object'],
		['"openapi"', 'it is JSON, but not an object'],
		[42, 'it is JSON, but not an object'],
		['{}', "it has neither 'openapi' nor 'swagger' at the top"],
		[{ asyncapi: '2.6.0' }, "it has neither 'openapi' nor 'swagger' at the top"],
		[{ swagger: '1.2' }, "OpenAPI version '1.2' is not supported"],
		[{ openapi: '4.0.0' }, "OpenAPI version '4.0.0' is not supported"],
		[{ openapi: { major: 3 } }, "OpenAPI version 'object' is not supported"],
		[{ openapi: { toString: 1, valueOf: 2 } }, "OpenAPI version 'object' is not supported"],
		['null', 'it is JSON, but not an object'],
	])('refuses %j in words', (input, message) => {
		expect(refusalOf(input)).toContain(message);
	});

	it('takes text with a byte order mark, and an object', () => {
		const document = openApi({});
		expect(readOpenApi(`\uFEFF ${JSON.stringify(document)}\n`).root).toEqual(document);
		expect(readOpenApi(document).root).toEqual(document);
	});

	it.each([
		['3.0.0', '3.0'],
		['3.0.3', '3.0'],
		['3.1.0', '3.1'],
		['3.2.0', '3.1'],
	])('knows OpenAPI %s', (openapi, version) => {
		expect(readOpenApi({ openapi, paths: {} }).version).toBe(version);
	});

	it('refuses 20 MB at once, as text and as an object', () => {
		const paths = Object.fromEntries(
			Array.from({ length: 20_000 }, (_, index) => [
				`/p${index}`,
				{ description: 'x'.repeat(1000) },
			]),
		);
		const text = JSON.stringify(openApi(paths));
		const started = process.cpuUsage();
		expect(refusalOf(text)).toBe('The OpenAPI document is too large');
		expect(refusalOf(openApi(paths))).toBe('The OpenAPI document is too large');
		expect(process.cpuUsage(started).user / 1e6).toBeLessThan(3);
	});

	it('refuses an object that holds itself', () => {
		const document: { [key: string]: unknown } = { openapi: '3.0.0' };
		document.paths = { '/': document };
		expect(refusalOf(document)).toBe('The OpenAPI document is too large');
	});

	it.each([
		[{ openapi: '3.1.0' }],
		[{ openapi: '3.0.0', paths: null }],
		[{ openapi: '3.0.0', paths: [] }],
		[{ swagger: '2.0', paths: { '/a': null, b: 1, '/c': [] } }],
	])('finds nothing where there are no operations: %j', (document) => {
		const details = detailsIn(document, ABOUT);
		expect(Object.keys(details).sort()).toEqual([...ALL_DETAILS].sort());
		for (const { found, note } of Object.values(details)) {
			expect(found).toEqual([]);
			expect(note).toMatch(/[Ll]ook/);
		}
	});
});
