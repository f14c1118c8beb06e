import type { Ledger } from '../service/ledger.ts';
import { note, type Figures } from './figures.ts';

/**
 * What the node says of something that it should have made the service do: it is done; it may be
 * done, and the user is told so; or it is certainly not done.
 */
export type Claim = 'done' | 'perhaps' | 'not done';

/** Something that the service does when it is asked to, and that nobody wants twice. */
export type Deed = string;

export const deeds = {
	/** A file that is a document now, byte for byte. */
	upload: (fileName: string, sha256: string): Deed => `upload ${fileName} (${sha256.slice(0, 8)})`,
	uploadUrl: (fileName: string): Deed => `upload URL for ${fileName}`,
	confirm: (documentId: string): Deed => `confirm ${documentId}`,
	extract: (documentId: string): Deed => `extract ${documentId}`,
	merge: (collectionId: string): Deed => `merge ${collectionId}`,
};

/** Each thing that the service really did, and how often. */
function deedsOf(ledger: Ledger): Map<Deed, number> {
	const done = [
		// A file that was put but never confirmed is no document: the service ignores it.
		...ledger.uploads
			.filter(({ confirmed }) => confirmed)
			.map(({ fileName, sha256 }) => deeds.upload(fileName, sha256)),
		...ledger.uploadUrls.map(({ fileName }) => deeds.uploadUrl(fileName)),
		...ledger.confirmations.flatMap(({ documentIds }) => documentIds.map(deeds.confirm)),
		...ledger.extractions.flatMap(({ documentIds }) => documentIds.map(deeds.extract)),
		...ledger.merges.map(({ collectionId }) => deeds.merge(collectionId)),
	];
	const counts = new Map<Deed, number>();
	for (const deed of done) counts.set(deed, (counts.get(deed) ?? 0) + 1);
	return counts;
}

/** What the node claims of a round's deeds, to be held against the service's ledger. */
export class Claims {
	private claims = new Map<Deed, Record<Claim, number>>();
	private reasons = new Map<Deed, { said: string; operation?: number }>();
	private canceled = new Set<string>();
	private documents = new Map<string, { fileName: string; operation?: number }>();

	/** @param said what the node says of it */
	add(deed: Deed, claim: Claim, said: string, operation?: number) {
		const counts = this.claims.get(deed) ?? { done: 0, perhaps: 0, 'not done': 0 };
		counts[claim]++;
		this.claims.set(deed, counts);
		this.reasons.set(deed, { said, operation });
	}

	/** Stop was pressed while the node worked on this file: nobody is told which document it is, if any. */
	cancel(fileName: string) {
		this.canceled.add(fileName);
	}

	/** The node says that this document came of this file. */
	addDocument(documentId: string, fileName: string, operation?: number) {
		this.documents.set(documentId, { fileName, operation });
	}

	compare(ledger: Ledger, figures: Figures) {
		const really = deedsOf(ledger);
		for (const [deed, { done, perhaps, 'not done': notDone }] of this.claims) {
			const count = really.get(deed) ?? 0;
			const { said, operation } = this.reasons.get(deed) ?? { said: '' };
			const what = `${deed}: the node says done ${done}, perhaps ${perhaps}, not done ${notDone}; the service did it ${count} times. ${said}`;
			if (count < done) note(figures, { wrong: 'lost', operation, what }, done - count);
			const tooMany = count - done - perhaps;
			// Work that the node denies is lost to the user; work beyond what it claims is doubled.
			const wrong = done + perhaps > 0 ? 'doubled' : 'lost';
			if (tooMany > 0) note(figures, { wrong, operation, what }, tooMany);
		}
		const known = [...ledger.uploads, ...ledger.uploadUrls];
		const stopped = known.filter(({ fileName }) => this.canceled.has(fileName));
		const perhaps = new Set(
			stopped.flatMap(({ documentId }) => [deeds.confirm(documentId), deeds.extract(documentId)]),
		);
		for (const [deed, count] of really) {
			if (perhaps.has(deed) && count === 1) continue;
			// A signed upload asks for a new URL when the storage takes the first one no more.
			const isAsked = this.claims.has(deed) || deed.startsWith(deeds.uploadUrl(''));
			const what = `${deed}, which nobody asked for`;
			if (!isAsked) note(figures, { wrong: 'doubled', what }, count);
		}
		const names = new Set(known.map((entry) => `${entry.documentId} ${entry.fileName}`));
		for (const [documentId, { fileName, operation }] of this.documents) {
			if (names.has(`${documentId} ${fileName}`)) continue;
			const what = `the node names ${documentId} for ${fileName}`;
			note(figures, { wrong: 'lost', operation, what });
		}
	}
}
