/** The calls whose paths the interface shows (§4), relative to /api/v1, with `{}` for each part that changes. */

export const UPLOAD = 'POST workflows/{}/documents';
export const LIST_DOCUMENTS = 'GET workflows/{}/documents';
const LIST_EXTRACTIONS = 'GET workflows/{}/extractions';
/** Its method is not shown (§4.4). */
export const CONFIRM_SHAPE = 'workflows/{}/documents/confirm';

export const SHOWN_CALLS = new Set([
	UPLOAD,
	LIST_DOCUMENTS,
	LIST_EXTRACTIONS,
	'POST workflows/{}/extract',
	'POST workflows/{}/documents/{}/extract',
	'POST workflows/{}/collections/{}/merged-document',
]);

const SHOWN_PATHS = [...SHOWN_CALLS]
	.map((call) => call.split(' ')[1])
	.concat(CONFIRM_SHAPE)
	.map((shape) => shape.split('/'));

/**
 * Whether a path is one that the interface shows, in whatever spelling a server may read it.
 * @param path relative to /api/v1, with or without a query
 */
export function isShownPath(path: string): boolean {
	const segments = path
		.replace(/\?.*$/s, '')
		.replace(/%([2-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
		.toLowerCase()
		.split('/')
		.filter(Boolean);
	return SHOWN_PATHS.some(
		(shape) =>
			shape.length === segments.length &&
			shape.every((part, index) => part === '{}' || part === segments[index]),
	);
}
