import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { readOpenApi } from '../../nodes/DocumentExtraction/setup/reading';
import { CONFIRM, findingsOf, said, UPLOAD, type JsonMap } from './documents';

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
		expect(JSON.parse(note.split(' in place of <…>: ')[1])).toMatchObject(body);
	});
});
