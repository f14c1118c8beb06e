import type { Claim } from './model.ts';

/** What the node says of a file that it could not take to the end. */
export interface Word {
	/** Of the upload. */
	claim: Claim;
	/** The document that the node names for it. */
	documentId?: string;
}

/** Of the file that a failed item carries. */
export function wordOfFailedItem(message: string, isSigned: boolean): Word {
	const documentId = /Document ID: (\S+)\./.exec(message)?.[1];
	// What is stored by signed URL becomes a document when it is confirmed.
	if (documentId !== undefined) return { claim: isSigned ? 'perhaps' : 'done', documentId };
	return { claim: message.includes('The outcome is unknown') ? 'perhaps' : 'not done' };
}

/** How a run that stopped names the files that are or may be at the service. */
const LISTS: Array<[title: string, claim: Claim]> = [
	['Already uploaded, with the extraction started; do not upload again', 'done'],
	['Already uploaded; do not upload again', 'done'],
	['Uploaded, but perhaps not confirmed (use Document › Confirm Upload first)', 'perhaps'],
	['Perhaps uploaded (look with Document › Get Many)', 'perhaps'],
];

/** The text of a list up to where the next one begins. */
function listIn(said: string, title: string): string {
	const [, list = ''] = said.split(`${title}: `);
	return LISTS.reduce((text, [other]) => text.split(`${other}: `)[0], list);
}

type NamedFile = { name: string; itemIndex: number };

/** What follows a file in a list; its item is named only where the run has several. */
function after(list: string, { name, itemIndex }: NamedFile): string | undefined {
	const ofItem = list.split(`${name} (item ${itemIndex + 1} of `)[1]?.replace(/^\d+\)/, '');
	if (ofItem !== undefined) return ofItem;
	const [, ofOnlyItem] = list.split(name);
	return ofOnlyItem?.startsWith(' (item ') ? undefined : ofOnlyItem;
}

/**
 * Of a file of a run that stopped at its first failure.
 * @param said message and description of the run's error
 */
export function wordOfStoppedRun(said: string, file: NamedFile): Word {
	for (const [title, claim] of LISTS) {
		const rest = after(listIn(said, title), file);
		if (rest === undefined) continue;
		return { claim, documentId: /^: ([^;\s]+?)\.?(?:;|\s|$)/.exec(rest)?.[1] };
	}
	const [, failed = ''] = said.split('This happened with the file ');
	const isItself = after(failed, file) !== undefined && failed.startsWith(file.name);
	return { claim: isItself && said.includes('The outcome is unknown') ? 'perhaps' : 'not done' };
}
