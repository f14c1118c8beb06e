import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ABOUT, detailsIn, foundIn, type Json, type JsonMap } from './documents';
import { ALL_DETAILS, readOpenApi } from './openApi';

const FILES = [
	'airbyte.openapi-3.0.json',
	'appwrite.openapi-3.0.json',
	'dialogporten.aspnet.json',
	'galaxy.openapi-3.1.json',
	'id4i.spring.json',
	'nest-auth.nestjs.json',
	'open-states.fastapi.json',
	'petstore.swagger-2.0.json',
];

function textOf(file: string): string {
	return readFileSync(join(__dirname, '../fixtures/openapi', file), 'utf8');
}

/** The service's document, were this path of it another one. */
function withPathNamed(file: string, from: string, to: string): JsonMap {
	const { paths, ...rest } = readOpenApi(textOf(file)).root as JsonMap & { paths: JsonMap };
	const { [from]: moved, ...others } = paths;
	expect(moved).toBeDefined();
	return { ...rest, paths: { ...others, [to]: moved } };
}

describe('the OpenAPI document of another service', () => {
	it.each(FILES)('%s fixes nothing', (file) => {
		const details = detailsIn(textOf(file));
		expect(
			Object.fromEntries(ALL_DETAILS.map((detail) => [detail, details[detail].found])),
		).toEqual(Object.fromEntries(ALL_DETAILS.map((detail) => [detail, []])));
		for (const { note } of Object.values(details)) expect(note).toMatch(/look/i);
	});

	it.each<[string, string, string, string[]]>([
		[
			'petstore.swagger-2.0.json',
			'/pet/{petId}/uploadImage',
			'/api/v1/workflows/{petId}/documents',
			['file'],
		],
		[
			'galaxy.openapi-3.1.json',
			'/planets/{planetId}/image',
			'/api/v1/workflows/{planetId}/documents',
			['image'],
		],
		[
			'id4i.spring.json',
			'/api/v1/organizations/{organizationId}/logo',
			'/api/v1/workflows/{organizationId}/documents',
			['file'],
		],
		// Its file is a text with a description, and so anybody's guess.
		['appwrite.openapi-3.0.json', '/storage/files', '/api/v1/workflows/{id}/documents', []],
		['open-states.fastapi.json', '/people', '/api/v1/workflows/{id}/documents', []],
	])('%s: were %s the upload endpoint, its file field would be known', (file, from, to, fields) => {
		expect(foundIn(withPathNamed(file, from, to), 'uploadFileField')).toEqual(fields);
	});

	it.each<[string, string, Json]>([
		[
			'petstore.swagger-2.0.json',
			'/user',
			{
				id: '<integer>',
				username: '<string>',
				firstName: '<string>',
				lastName: '<string>',
				email: '<string>',
				password: '<string>',
				phone: '<string>',
				userStatus: '<integer>',
			},
		],
		['galaxy.openapi-3.1.json', '/auth/token', { email: '<string>', password: '<string>' }],
		['nest-auth.nestjs.json', '/refresh-token', { refreshToken: '<string>' }],
		['airbyte.openapi-3.0.json', '/v1/connections/reset', { connectionId: '<string>' }],
	])('%s: were %s the confirm endpoint, its body would be a template', (file, from, body) => {
		const document = withPathNamed(file, from, '/api/v1/workflows/{id}/documents/confirm');
		const { confirmMethod, confirmBody } = detailsIn(document, ABOUT);
		expect(confirmMethod.found.map(({ value }) => value)).toEqual(['POST']);
		expect(confirmBody.found.map(({ value }) => JSON.parse(value) as unknown)).toEqual([body]);
	});
});
