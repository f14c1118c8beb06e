/** Endpoints that the interface leaves open, in the spellings in which API references print them. */
import type { IHttpRequestMethods } from 'n8n-workflow';

import { API_PREFIX, serviceAddress, type DocumentExtractionCredential } from '../credential';
import type { Placeholder } from './apiDetails';
import { mistake, requireDetail } from './detail';
import {
	allowedPlaceholders,
	checkPlaceholders,
	PLACEHOLDER,
	unknownPlaceholder,
	type PlaceholderValues,
} from './placeholders';
import { isShownPath } from './shownCalls';

export type EndpointDetail = 'workflowEndpoint' | 'uploadUrlEndpoint';

/** A method and a path relative to /api/v1, whose placeholders are written `{workflow_id}`. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: string;
}

const METHODS: IHttpRequestMethods[] = ['GET', 'POST', 'PUT', 'PATCH'];
/** Segments that lead to another path than they stand in. */
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|\?|$)/i;
/** How references write a part that changes: {name}, {{name}}, <name> or :name. */
const WRITTEN_PLACEHOLDER = /\{\{([\w-]+)\}\}|\{([\w-]+)\}|<([\w-]+)>|([/=]):([\w-]+)/g;
const QUOTES = /["'`“”‘’]/g;

/**
 * An endpoint, relative to /api/v1, with its placeholders filled in and encoded.
 * @throws UserError when it is empty, not of the form METHOD /path, or lacks a placeholder's value
 */
export function endpoint(
	credential: DocumentExtractionCredential,
	detail: EndpointDetail,
	values: PlaceholderValues,
): Endpoint {
	const { method, path } = parseEndpoint(credential, detail);
	const filled = path.replace(PLACEHOLDER, (placeholder, name: Placeholder) => {
		const value = values[name];
		if (value === undefined) throw mistake(detail, `needs a value for ${placeholder}`);
		return encodeURIComponent(value);
	});
	if (DOT_SEGMENT.test(filled)) throw mistake(detail, `becomes another path: ${filled}`);
	return { method, path: filled };
}

/**
 * Reads an endpoint as the user pasted it: `METHOD /path` with or without /api/v1, or `METHOD` and
 * a whole URL below Base URL.
 * @throws UserError naming the field and what to enter
 */
export function parseEndpoint(
	credential: DocumentExtractionCredential,
	detail: EndpointDetail,
): Endpoint {
	const text = requireDetail(credential, detail).replace(QUOTES, '').trim();
	const [word, target, ...more] = text.replace(/\sHTTP\/[\d.]+$/, '').split(/\s+/);
	const method = METHODS.find((known) => known === word.toUpperCase());
	if (!method || !target || more.length > 0) throw notAnEndpoint(detail);
	const path = withPlaceholders(
		credential,
		detail,
		withoutPrefix(detail, pathOf(credential, detail, target)),
	);
	if (!/^\/[^/\s#\\]/.test(path) || /[\s#\\]/.test(path) || DOT_SEGMENT.test(path)) {
		throw notAnEndpoint(detail);
	}
	checkPlaceholders(detail, path);
	if (/[{}<>]/.test(path.replace(PLACEHOLDER, ''))) throw notAnEndpoint(detail);
	// The node calls it again and again, as a read.
	if (detail === 'workflowEndpoint' && method !== 'GET' && isShownPath(path)) {
		throw mistake(
			detail,
			'does not read the workflow, but changes something at the service: it uploads, confirms, extracts or merges',
		);
	}
	return { method, path };
}

const notAnEndpoint = (detail: EndpointDetail) =>
	mistake(
		detail,
		"is not of the form METHOD /path, e.g. 'GET /path/to/{workflow_id}' with one of GET, POST, PUT, PATCH",
	);

/** The path of a target that may be a whole URL; only one below Base URL can be called. */
function pathOf(
	credential: DocumentExtractionCredential,
	detail: EndpointDetail,
	target: string,
): string {
	const ownPath = target.replace(/^\{\{?base_?url\}?\}/i, '');
	if (!/^[a-z][a-z\d+.-]*:/i.test(ownPath)) return ownPath;
	const address = serviceAddress(credential);
	const elsewhere = mistake(
		detail,
		`is not an endpoint of ${address}, the address in 'Base URL'. Enter METHOD /path, e.g. 'GET /path/to/{workflow_id}'`,
	);
	if (!URL.canParse(ownPath)) throw elsewhere;
	const [, authority, path] = /^[a-z]+:\/\/([^/?#\\]+)(\/[^]*)$/i.exec(ownPath) ?? [];
	const { origin, pathname } = new URL(address);
	const base = pathname === '/' ? '' : pathname;
	if (
		!path ||
		authority.includes('@') ||
		new URL(ownPath).origin !== origin ||
		!path.startsWith(`${base}/`)
	) {
		throw elsewhere;
	}
	return path.slice(base.length);
}

function withoutPrefix(detail: EndpointDetail, path: string): string {
	if (path.startsWith(`${API_PREFIX}/`)) return path.slice(API_PREFIX.length);
	if (/^\/api\/v\d+(\/|$)/.test(path)) {
		throw mistake(
			detail,
			`is not an endpoint under ${API_PREFIX}, the version that this node works with`,
		);
	}
	return path;
}

/** Writes every part that changes as `{name}`, the credential's own workflow ID among them. */
function withPlaceholders(
	credential: DocumentExtractionCredential,
	detail: EndpointDetail,
	path: string,
): string {
	const allowed = allowedPlaceholders(detail);
	const workflowId = String(credential.workflowId ?? '').trim();
	return path
		.replace(/%7b/gi, '{')
		.replace(/%7d/gi, '}')
		.replace(/%3c/gi, '<')
		.replace(/%3e/gi, '>')
		.replace(WRITTEN_PLACEHOLDER, (written, ...groups: Array<string | undefined>) => {
			const [twoBraces, braces, angles, before = '', colon] = groups;
			const name = plain(twoBraces ?? braces ?? angles ?? colon ?? '');
			const known = allowed.find((placeholder) => plain(placeholder) === name);
			if (!known) throw unknownPlaceholder(detail, written.slice(before.length));
			return `${before}{${known}}`;
		})
		.replace(/[^/?&=]+/g, (part) =>
			workflowId !== '' && (part === workflowId || part === encodeURIComponent(workflowId))
				? '{workflow_id}'
				: part,
		);
}

/** `workflowId`, `workflow-id` and `WORKFLOW_ID` are the same name. */
const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase();
