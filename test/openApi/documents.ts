/** OpenAPI documents as accounts may publish them, each with only the parts that a test is about. */
import { API_DETAILS, findDetails, readOpenApi, type ApiDetail } from './openApi';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export interface JsonMap {
	[key: string]: Json;
}

export const ABOUT = { baseUrl: 'https://api.example.com', workflowId: 'wf_123' };

export function openApi(paths: JsonMap, rest: JsonMap = {}): JsonMap {
	return { openapi: '3.0.3', info: { title: 'Service', version: '1' }, paths, ...rest };
}

export function swagger(paths: JsonMap, rest: JsonMap = {}): JsonMap {
	return { swagger: '2.0', info: { title: 'Service', version: '1' }, paths, ...rest };
}

/** An operation that answers with a value of this schema. */
export function returning(schema: Json, rest: JsonMap = {}): JsonMap {
	return {
		responses: { '200': { description: 'OK', content: { 'application/json': { schema } } } },
		...rest,
	};
}

export function jsonBody(schema: Json): JsonMap {
	return { requestBody: { content: { 'application/json': { schema } } } };
}

export function multipart(schema: Json): JsonMap {
	return { requestBody: { content: { 'multipart/form-data': { schema } } }, responses: {} };
}

export function object(properties: JsonMap, rest: JsonMap = {}): JsonMap {
	return { type: 'object', properties, ...rest };
}

export function list(items: Json): JsonMap {
	return { type: 'array', items };
}

/** What the document says about every API Detail. */
export function detailsIn(document: unknown, about = ABOUT) {
	return findDetails(API_DETAILS, readOpenApi(document), about);
}

/** The values found for one API Detail. */
export function foundIn(document: unknown, detail: ApiDetail, about = ABOUT): string[] {
	return detailsIn(document, about)[detail].found.map(({ value }) => value);
}
