import { UserError } from 'n8n-workflow';

import { isPathSegment } from './credential';

/**
 * An ID as one segment of a path: encoded, and never one that changes the path.
 * @param label the field of the node's panel that the ID comes from
 * @throws UserError where it is empty or would change the path
 */
export function pathSegment(id: string, label: string): string {
	const text = id.trim();
	if (!text) throw new UserError(`'${label}' is empty`);
	if (!isPathSegment(text)) throw new UserError(`'${label}' is not an ID`);
	return encodeURIComponent(text);
}
