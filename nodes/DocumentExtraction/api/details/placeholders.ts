import { mistake } from './detail';
import type { ApiDetail } from './labels';

export type Placeholder =
	| 'workflow_id'
	| 'document_id'
	| 'collection_id'
	| 'collection_name'
	| 'file_name'
	| 'content_type'
	| 'file_size';

/** A placeholder without a value is left out of a body. */
export type PlaceholderValues = { [name in Placeholder]?: string | number };

const OF_AN_UPLOAD: Placeholder[] = [
	'workflow_id',
	'collection_id',
	'collection_name',
	'file_name',
	'content_type',
	'file_size',
];
const ALLOWED: { [detail in ApiDetail]?: Placeholder[] } = {
	workflowEndpoint: ['workflow_id'],
	uploadUrlEndpoint: OF_AN_UPLOAD,
	uploadUrlBody: OF_AN_UPLOAD,
	confirmBody: ['document_id', ...OF_AN_UPLOAD],
};

export const PLACEHOLDER = /\{(\w+)\}/g;

/** The placeholders that an API Detail may contain. */
export function allowedPlaceholders(detail: ApiDetail): Placeholder[] {
	return ALLOWED[detail] ?? [];
}

/** @throws UserError naming a placeholder that this API Detail does not know */
export function checkPlaceholders(detail: ApiDetail, text: string) {
	const allowed = allowedPlaceholders(detail);
	for (const [placeholder, name] of text.matchAll(PLACEHOLDER)) {
		if (!allowed.some((known) => known === name)) throw unknownPlaceholder(detail, placeholder);
	}
}

export function unknownPlaceholder(detail: ApiDetail, placeholder: string) {
	const known = allowedPlaceholders(detail).map((name) => `{${name}}`);
	return mistake(
		detail,
		`contains ${placeholder}, which is not a placeholder here. Known placeholders: ${known.join(', ')}`,
	);
}
