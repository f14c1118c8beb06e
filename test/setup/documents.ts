/** OpenAPI documents as accounts may publish them, each with only the parts that a test is about. */
import type { ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import { findingsIn, type Proposal } from '../../nodes/DocumentExtraction/setup/findings';
import { operationsIn } from '../../nodes/DocumentExtraction/setup/reference';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export interface JsonMap {
	[key: string]: Json;
}

export const WORKFLOW = '/api/v1/workflows/{workflow_id}';
export const UPLOAD = `${WORKFLOW}/documents`;
export const CONFIRM = `${UPLOAD}/confirm`;

export const STRING = { type: 'string' };
export const BINARY = { type: 'string', format: 'binary' };
export const ref = (name: string | number): JsonMap => ({ $ref: `#/components/schemas/${name}` });

/** A document of this service, which shows in a call that the interface names. */
export function openApi(paths: JsonMap, rest: JsonMap = {}): JsonMap {
	const known = { [`${WORKFLOW}/extract`]: { post: { responses: {} } } };
	return { openapi: '3.0.3', paths: { ...known, ...paths }, ...rest };
}

/** An operation that answers with a value of this schema. */
export function returning(schema: Json, rest: JsonMap = {}): JsonMap {
	return {
		responses: { '200': { description: 'OK', content: { 'application/json': { schema } } } },
		...rest,
	};
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

/** All that a document says. */
export const findingsOf = (document: unknown) => findingsIn(operationsIn(document));

/** What it says of one API Detail: a value that is fixed, and those to choose from. */
export function said(document: unknown, detail: ApiDetail) {
	const own = findingsOf(document).filter((one) => one.detail === detail);
	const valuesOf = (says: Proposal['says']) =>
		own.filter((one) => one.says === says).map(({ value }) => value);
	return { fixed: valuesOf('fixed'), possible: valuesOf('possible') };
}
