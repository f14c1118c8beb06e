import type { Ledger } from '../service/ledger.ts';
import { note, type Figures } from './figures.ts';
import { allowed, deeds, type Claim, type Deed } from './model.ts';

/** Each thing that the service really did, and how often. */
function deedsOf(ledger: Ledger): Map<Deed, number> {
	// What was put to the storage but never confirmed is no document.
	const documents = ledger.uploads.filter(({ confirmed }) => confirmed);
	const counts = new Map<Deed, number>();
	for (const deed of [
		...documents.map(({ fileName, sha256 }) => deeds.upload(fileName, sha256)),
		...ledger.uploadUrls.map(({ fileName }) => deeds.uploadUrl(fileName)),
		...ledger.confirmations.flatMap(({ documentIds }) => documentIds.map(deeds.confirm)),
		...ledger.extractions.flatMap(({ documentIds }) => documentIds.map(deeds.extract)),
		...ledger.merges.map(({ collectionId }) => deeds.merge(collectionId)),
	]) {
		counts.set(deed, (counts.get(deed) ?? 0) + 1);
	}
	return counts;
}

/** What the node claims of a round's deeds, to be held against the service's ledger. */
export class Claims {
	private said = new Map<
		Deed,
		{ counts: Record<Claim, number>; last: string; operation?: number }
	>();
	private stopped = new Set<string>();
	private documents = new Map<string, { fileName: string; operation?: number }>();

	/** @param said what the node says of it */
	add(deed: Deed, claim: Claim, said: string, operation?: number) {
		const { counts } = this.said.get(deed) ?? { counts: { done: 0, perhaps: 0, 'not done': 0 } };
		counts[claim]++;
		this.said.set(deed, { counts, last: said, operation });
	}

	/** Stop was pressed while the node worked on this file: nobody is told which document it is, if any. */
	addStopped(fileName: string) {
		this.stopped.add(fileName);
	}

	/** The node says that this document came of this file. */
	addDocument(documentId: string, fileName: string, operation?: number) {
		this.documents.set(documentId, { fileName, operation });
	}

	compare(ledger: Ledger, figures: Figures) {
		const really = deedsOf(ledger);
		const known = [...ledger.uploads, ...ledger.uploadUrls];
		const ofStopped = new Set(
			known
				.filter(({ fileName }) => this.stopped.has(fileName))
				.flatMap(({ documentId }) => [deeds.confirm(documentId), deeds.extract(documentId)]),
		);
		for (const deed of new Set([...this.said.keys(), ...really.keys()])) {
			const count = really.get(deed) ?? 0;
			const { counts, last, operation } = this.said.get(deed) ?? {};
			const { least, most } = allowed(deed, counts, ofStopped.has(deed));
			const says = `the node says ${JSON.stringify(counts)}`;
			const what = `${deed}: ${says}; the service did it ${count} times. ${last}`;
			if (count < least) note(figures, { wrong: 'lost', operation, what }, least - count);
			// Work that the node denies is lost to the user; work beyond what it claims is doubled.
			const wrong = counts && most === 0 ? 'lost' : 'doubled';
			if (count > most) note(figures, { wrong, operation, what }, count - most);
		}
		const names = new Set(known.map((entry) => `${entry.documentId} ${entry.fileName}`));
		for (const [documentId, { fileName, operation }] of this.documents) {
			if (names.has(`${documentId} ${fileName}`)) continue;
			const what = `the node names ${documentId} for ${fileName}`;
			note(figures, { wrong: 'lost', operation, what });
		}
	}
}
