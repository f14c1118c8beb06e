/** What is found for an API Detail, and how it is told to the user. */
import { sentences } from '../../../sentences';
import type { ApiDetail } from '../../apiDetails';
import type { FoundProperty } from '../search';

export interface Finding {
	/** In the form in which the API Detail is entered. */
	value: string;
	/** JSON pointer into the document. */
	at: string;
}

export interface Found {
	found: Finding[];
	/** What several findings mean, or what to look for where the document says nothing. */
	note?: string;
	/** One sentence: what the user has to do with a single value before it is right. */
	check?: string;
	/** One sentence: how to choose, unless just one of them is right. */
	choose?: string;
}

export type Findings = { [detail in ApiDetail]: Found };

/** More are no help to choose from. */
export const MOST_LISTED = 20;

export const MAY_BE_MORE = 'There may be more: the schema goes deeper than is listed.';

/** Each value once, where it stands first, and no more than can be chosen from. */
export function listed(found: Finding[], ...notes: Array<string | false | undefined>): Found {
	const byValue = new Map<string, Finding>();
	for (const finding of found) if (!byValue.has(finding.value)) byValue.set(finding.value, finding);
	const values = [...byValue.values()];
	const note = sentences(
		...notes,
		values.length > MOST_LISTED && `Only the first ${MOST_LISTED} of ${values.length} are listed.`,
	);
	return { found: values.slice(0, MOST_LISTED), ...(note && { note }) };
}

/** Names within a note. */
export function named(items: string[]): string {
	return items.slice(0, MOST_LISTED).join(', ') + (items.length > MOST_LISTED ? ', …' : '');
}

/** The note where the document lacks an endpoint that the interface shows. */
export function notDescribed(endpoint: string, purpose: string): string {
	return `The document does not describe ${endpoint}. It may belong to another service, or not cover this part. For ${purpose}, look in the account's API reference.`;
}

/** A field, by the path to it. */
export function toFinding({ path, schema }: FoundProperty): Finding {
	return { value: path, at: schema.at };
}
