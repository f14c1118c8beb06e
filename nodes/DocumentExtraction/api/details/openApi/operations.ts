/** The operations of an OpenAPI document, in the form in which the interface and API Details speak. */
import {
	below,
	child,
	children,
	dereferenced,
	own,
	type JsonObject,
	type Located,
	type OpenApiDocument,
} from './document';

export interface Operation {
	method: string;
	/** Relative to /api/v1, as the document writes it, without a slash at the end. */
	path: string;
	/** The same path with `{}` for each parameter, e.g. `workflows/{}/documents`. */
	shape: string;
	definition: Located;
	/** What stands beside the operation and holds for it too. */
	pathItem: Located;
}

/** The methods that an API Detail can name. */
const METHODS = ['get', 'post', 'put', 'patch'];

/** Real documents of 5 MB have fewer paths. */
const MOST_PATHS = 10_000;

const PARAMETER = /^\{[^{}]*\}$/;

/**
 * All operations with a method that an API Detail can name, in the document's order.
 * @param about.workflowId a path segment that equals it counts as the workflow's parameter
 */
export function operationsOf(
	document: OpenApiDocument,
	about: { baseUrl: string; workflowId: string },
): Operation[] {
	const base = parseUrl(about.baseUrl.trim());
	const serverPathOf = serverPathReader(document, base);
	const written = new Map<JsonObject, Set<string>>();
	const basePath = base ? base.pathname.replace(/\/api\/v1\/?$/, '').replace(/\/$/, '') : '';
	return pathsOf(document).flatMap((entry) => {
		const pathItem = dereferenced(document, entry);
		if (!pathItem || !entry.key.startsWith('/')) return [];
		return METHODS.flatMap((method) => {
			const definition = child(pathItem, method);
			if (!definition) return [];
			const serverPath = serverPathOf([definition.value, pathItem.value]);
			const segments = relativeSegments(entry.key, serverPath, basePath).map((segment) =>
				segment === about.workflowId.trim() ? '{workflow_id}' : segment,
			);
			const shape = segments.map((segment) => (PARAMETER.test(segment) ? '{}' : segment)).join('/');
			// Paths may share an operation by reference.
			const shapes = written.get(definition.value) ?? new Set();
			if (shapes.has(shape)) return [];
			written.set(definition.value, shapes.add(shape));
			const path = `/${segments.join('/')}`;
			return [{ method: method.toUpperCase(), path, shape, definition, pathItem }];
		});
	});
}

function pathsOf(document: OpenApiDocument) {
	return children(below({ value: document.root, at: '' }, 'paths'), MOST_PATHS);
}

/** Whether the document has more paths than are read. */
export function hasMorePaths(document: OpenApiDocument): boolean {
	return Object.keys(own(document.root, 'paths') ?? {}).length > MOST_PATHS;
}

function parseUrl(url: string, base?: string): URL | undefined {
	try {
		return new URL(url, base);
	} catch {
		return undefined;
	}
}

/** Longer ones are no addresses, and would be taken apart for each operation. */
const LONGEST_ADDRESS = 2000;
const MOST_PARAMETERS = 100;

/** Reads what the document puts before its paths: `basePath`, or the path of the server meant. */
function serverPathReader(document: OpenApiDocument, base: URL | undefined) {
	const known = new Map<unknown, string>();
	return (nearestFirst: JsonObject[]): string => {
		if (document.version === '2.0') {
			return String(own(document.root, 'basePath') ?? '').slice(0, LONGEST_ADDRESS);
		}
		const servers = [...nearestFirst, document.root]
			.map((holder) => own(holder, 'servers'))
			.find((list): list is unknown[] => Array.isArray(list) && list.length > 0);
		const path = known.get(servers) ?? serverPath(servers ?? [], base);
		known.set(servers, path);
		return path;
	};
}

function serverPath(servers: unknown[], base: URL | undefined): string {
	// More than a few are no addresses of one service.
	const urls = servers.slice(0, 20).flatMap((server) => serverUrl(server) ?? []);
	return (urls.find(({ origin }) => origin === base?.origin) ?? urls[0])?.pathname ?? '';
}

function serverUrl(server: unknown): URL | undefined {
	const url = own(server, 'url');
	if (typeof url !== 'string' || url.length > LONGEST_ADDRESS) return undefined;
	const variables = own(server, 'variables');
	const filled = url.replace(/\{([^{}]*)\}/g, (variable, name: string) => {
		const value = own(own(variables, name), 'default');
		return typeof value === 'string' ? value : variable;
	});
	return parseUrl(filled, 'https://relative.invalid/');
}

function segmentsOf(path: string): string[] {
	return path.split('/').filter((segment) => segment !== '');
}

/**
 * A path relative to /api/v1, which may stand in the path, in the server's path, across both, or
 * nowhere. A path of another version, or below a prefix that the Base URL does not have, keeps
 * that prefix: it is not the interface's.
 */
function relativeSegments(path: string, serverPath: string, basePath: string): string[] {
	const inPath = segmentsOf(path);
	const inServer = segmentsOf(serverPath);
	const prefix = segmentsOf(basePath);
	const afterVersion = (segments: string[], start: number) =>
		segments[start] === 'api' && segments[start + 1] === 'v1'
			? segments.slice(start + 2)
			: undefined;
	const startsWithPrefix = prefix.every((segment, index) => inPath[index] === segment);
	const all = [...inServer, ...inPath];
	for (const rest of [
		afterVersion(inPath, 0),
		startsWithPrefix ? afterVersion(inPath, prefix.length) : undefined,
		...inServer.map((_, index) => afterVersion(all, index)),
	]) {
		if (rest) return rest;
	}
	return /^v\d/i.test(inServer.at(-1) ?? '') ? all : inPath;
}

/** The parameters of an operation itself and those of its path. */
export function parametersOf(document: OpenApiDocument, operation: Operation): Located[] {
	return [operation.definition, operation.pathItem]
		.flatMap((holder) => children(below(holder, 'parameters')).slice(0, MOST_PARAMETERS))
		.flatMap((parameter) => dereferenced(document, parameter) ?? []);
}

/** The schemas of an operation's request body whose media type passes the test (OpenAPI 3). */
export function bodySchemas(
	document: OpenApiDocument,
	{ definition }: Operation,
	isMeant: (mediaType: string) => boolean,
): Located[] {
	const body = dereferenced(document, child(definition, 'requestBody'));
	if (!body) return [];
	return children(below(body, 'content'))
		.filter(({ key }) => isMeant(key.toLowerCase()))
		.flatMap((mediaType) => child(mediaType, 'schema') ?? []);
}

/** The schemas of an operation's JSON request body, in every version. */
export function jsonBodySchemas(document: OpenApiDocument, operation: Operation): Located[] {
	if (document.version !== '2.0') {
		return bodySchemas(document, operation, (type) => type.includes('json') || type === '*/*');
	}
	return parametersOf(document, operation)
		.filter(({ value }) => own(value, 'in') === 'body')
		.flatMap((parameter) => child(parameter, 'schema') ?? []);
}

/** The schemas of all of an operation's successful (2xx) responses. */
export function responseSchemas(document: OpenApiDocument, { definition }: Operation): Located[] {
	return children(below(definition, 'responses'))
		.filter(({ key }) => /^2(?:\d\d|XX)$/i.test(key))
		.flatMap((response) => dereferenced(document, response) ?? [])
		.flatMap((response) => [
			...(child(response, 'schema') ? [response] : []),
			...children(below(response, 'content')),
		])
		.flatMap((holder) => child(holder, 'schema') ?? []);
}
