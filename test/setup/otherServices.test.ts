import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { readOpenApi } from '../../nodes/DocumentExtraction/setup/reading';
import { findingsOf, said, type Json, type JsonMap } from './documents';

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
	const { paths, ...rest } = readOpenApi(textOf(file)) as JsonMap & { paths: JsonMap };
	const { [from]: moved, ...others } = paths;
	expect(moved).toBeDefined();
	return { ...rest, paths: { ...others, [to]: moved } };
}

describe('the OpenAPI document of another service', () => {
	it.each(FILES)('%s says nothing', (file) => {
		expect(findingsOf(textOf(file))).toEqual({ proposals: [], isCutShort: false });
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
		expect(said(withPathNamed(file, from, to), 'uploadFileField').fixed).toEqual(fields);
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
	])('%s: were %s the confirm endpoint, its body would be printed', (file, from, body) => {
		const document = withPathNamed(file, from, '/api/v1/workflows/{id}/documents/confirm');
		expect(said(document, 'confirmMethod').fixed).toEqual(['POST']);
		const [note] = said(document, 'confirmBody').notes;
		expect(JSON.parse(note.split(' takes: ')[1])).toEqual(body);
	});
});
