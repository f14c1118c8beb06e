import { UserError } from 'n8n-workflow';

import type { DocumentExtractionCredential } from '../credential';
import { API_DETAILS, howToCorrect, howToFillIn, type ApiDetail } from './apiDetails';

/** The error about an API Detail that is wrong: its message names the field, its description where to look. */
export function mistake(detail: ApiDetail, what: string): UserError {
	return errorAbout(detail, what, howToCorrect(detail));
}

/** The error about an API Detail that is empty. */
export function missing(detail: ApiDetail, why: string): UserError {
	return errorAbout(detail, `is empty, and ${why}`, howToFillIn(detail));
}

function errorAbout(detail: ApiDetail, what: string, description: string): UserError {
	return new UserError(`The API Detail '${API_DETAILS[detail].label}' ${what}`, { description });
}

/**
 * The text of an API Detail; empty where the user has left it so, or has switched its group off: n8n
 * hands on no field that it does not show.
 */
export function detailText(credential: DocumentExtractionCredential, detail: ApiDetail): string {
	return String(credential[detail] ?? '').trim();
}

/** Whether the user has filled in an API Detail. */
export function hasDetail(credential: DocumentExtractionCredential, detail: ApiDetail): boolean {
	return detailText(credential, detail) !== '';
}

/**
 * The text of an API Detail that an operation cannot do without.
 * @throws UserError naming the field and where to look for its value, when it is empty
 */
export function requireDetail(credential: DocumentExtractionCredential, detail: ApiDetail): string {
	const text = detailText(credential, detail);
	if (!text) throw missing(detail, 'this operation needs it');
	return text;
}

/** A text without the quotation marks or backticks that references print around it. */
export function unquoted(text: string): string {
	const inner = /^(?:"(.*)"|'(.*)'|`(.*)`|“(.*)”|‘(.*)’)$/s.exec(text.trim());
	return (inner ? (inner.slice(1).find((part) => part !== undefined) ?? '') : text).trim();
}
