export type WorkflowParams = { Params: { workflow_id: string } };

/** `GET /workflows/{workflow_id}` as a method and a route. */
export function parseEndpoint(endpoint: string) {
	const [method, path] = endpoint.split(' ', 2);
	return { method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') };
}
