import { mistake } from './detail';
import { API_DETAILS, type ApiDetail, type Placeholder } from './apiDetails';

/** A placeholder without a value is left out of a body. */
export type PlaceholderValues = { [name in Placeholder]?: string | number };

export const PLACEHOLDER = /\{(\w+)\}/g;

/** The placeholders that an API Detail may contain. */
export function allowedPlaceholders(detail: ApiDetail): Placeholder[] {
	return API_DETAILS[detail].placeholders ?? [];
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
