/** Reads the account's OpenAPI document; its errors say what was entered instead. */
import { UserError } from 'n8n-workflow';

import { isObject, own, type JsonObject, type OpenApiDocument } from './document';

/** In characters of JSON; in bytes, where it is fetched. */
export const LARGEST_DOCUMENT = 5 * 1024 * 1024;

const HOW_TO_GET_IT =
	"Enter the account's OpenAPI document as JSON, often found as openapi.json or swagger.json beside the API reference.";

function refusal(message: string, description = HOW_TO_GET_IT): UserError {
	return new UserError(message, { description });
}

/** The error about a document that is larger than LARGEST_DOCUMENT. */
export function tooLarge(): UserError {
	return refusal(
		'The OpenAPI document is too large',
		'The node reads at most 5 MB. Remove what is not about workflows and their documents, and try again.',
	);
}

/**
 * Reads an OpenAPI document.
 * @param input JSON text, or the object that it stands for
 * @throws UserError that says what the input is instead of an OpenAPI 3 or Swagger 2.0 document
 */
export function readOpenApi(input: unknown): OpenApiDocument {
	const root = typeof input === 'string' ? parse(input) : input;
	if (root === undefined || root === null) throw refusal('The OpenAPI document is empty');
	if (!isObject(root)) {
		throw refusal('This is not an OpenAPI document: it is JSON, but not an object');
	}
	if (typeof input !== 'string' && exceeds(root, LARGEST_DOCUMENT)) throw tooLarge();
	return { root, version: versionOf(root), targets: new Map() };
}

function parse(input: string): unknown {
	if (input.length > LARGEST_DOCUMENT) throw tooLarge();
	const text = input.replace(/^\uFEFF/, '').trim();
	if (text === '') throw refusal('The OpenAPI document is empty');
	if (text.startsWith('<')) {
		throw refusal(
			'This is a web page or XML, not an OpenAPI document',
			`It may be the page that shows the API reference, or a sign-in page. ${HOW_TO_GET_IT}`,
		);
	}
	try {
		return JSON.parse(text) as unknown;
	} catch (error) {
		if (/^(?:openapi|swagger)[ \t]*:/m.test(text)) {
			throw refusal(
				'This OpenAPI document is YAML, but the node reads only JSON',
				'Most API references offer both: look for openapi.json beside openapi.yaml. Or convert it: open editor.swagger.io, paste the YAML, choose File › Convert and save as JSON, and paste what is in that file.',
			);
		}
		if (!/^[[{]/.test(text)) {
			throw refusal(
				'This is not an OpenAPI document: it is not JSON',
				`${/\s/.test(text) ? '' : 'If it is an address, start it with https://. '}${HOW_TO_GET_IT}`,
			);
		}
		throw refusal(
			'The OpenAPI document is not valid JSON',
			`It may have been cut off when it was copied. ${String((error as Error).message).slice(0, 200)}`,
		);
	}
}

/** Counts instead of writing JSON: that would take memory, and fail on an object that holds itself. */
function exceeds(root: object, most: number): boolean {
	let size = 0;
	const open: unknown[] = [root];
	while (open.length > 0) {
		const value = open.pop();
		if (value !== null && typeof value === 'object') {
			for (const [key, inner] of Object.entries(value)) {
				size += Array.isArray(value) ? 1 : key.length + 4;
				open.push(inner);
			}
		} else {
			size += typeof value === 'string' ? value.length + 2 : 4;
		}
		if (size > most) return true;
	}
	return false;
}

function versionOf(root: JsonObject): OpenApiDocument['version'] {
	const version = String(own(root, 'openapi') ?? own(root, 'swagger') ?? '').slice(0, 40);
	if (own(root, 'openapi') !== undefined && /^3\.\d/.test(version)) {
		return /^3\.0(?:\D|$)/.test(version) ? '3.0' : '3.1';
	}
	if (own(root, 'openapi') === undefined && /^2(?:\.0)?$/.test(version)) return '2.0';
	if (version === '') {
		throw refusal(
			"This is JSON, but not an OpenAPI document: it has neither 'openapi' nor 'swagger' at the top",
		);
	}
	throw refusal(
		`OpenAPI version '${version}' is not supported`,
		'The node reads OpenAPI 3.0, OpenAPI 3.1 and Swagger 2.0.',
	);
}
