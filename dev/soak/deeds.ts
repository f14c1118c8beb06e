import type { Ledger } from '../service/ledger.ts';
import type { Figures } from './figures.ts';

/**
 * What the node says of something that it should have made the service do: it is done; it may be
 * done, and the user is told so; or it is certainly not done.
 */
export type Claim = 'done' | 'perhaps' | 'not done';

/** `upload file-1.txt`, `extract doc_1`, … */
export type Deed = string;

/** Each thing that the service really did, and how often. */
export function deedsOf(ledger: Ledger): Map<Deed, number> {
	const deeds = new Map<Deed, number>();
	const count = (deed: Deed) => deeds.set(deed, (deeds.get(deed) ?? 0) + 1);
	for (const { fileName, confirmed } of ledger.uploads) {
		// A file that was put but never confirmed is no document: the service ignores it.
		if (confirmed) count(`upload ${fileName}`);
	}
	for (const { fileName } of ledger.uploadUrls) count(`upload URL for ${fileName}`);
	for (const { documentIds } of ledger.extractions) {
		for (const id of documentIds) count(`extract ${id}`);
	}
	for (const { documentIds } of ledger.confirmations) {
		for (const id of documentIds) count(`confirm ${id}`);
	}
	for (const { collectionId } of ledger.merges) count(`merge ${collectionId}`);
	return deeds;
}

/** What the node claims of a round's deeds, to be held against the service's ledger. */
export class Claims {
	private claims = new Map<Deed, Record<Claim, number>>();
	private reasons = new Map<Deed, string>();

	/** @param reason what the node says of a failure */
	add(deed: Deed, claim: Claim, reason: string) {
		const counts = this.claims.get(deed) ?? { done: 0, perhaps: 0, 'not done': 0 };
		counts[claim]++;
		this.claims.set(deed, counts);
		this.reasons.set(deed, reason);
	}

	compare(ledger: Ledger, figures: Figures) {
		const deeds = deedsOf(ledger);
		for (const [deed, { done, perhaps, 'not done': notDone }] of this.claims) {
			const really = deeds.get(deed) ?? 0;
			const claimed = `${deed}: the node says done ${done}, perhaps ${perhaps}, not done ${notDone}; the service did it ${really} times. ${this.reasons.get(deed)}`;
			if (really < done) figures.note('lost', claimed, done - really);
			const tooMany = really - done - perhaps;
			// Work that the node denies is lost to the user; work beyond what it claims is doubled.
			if (tooMany > 0) figures.note(done + perhaps > 0 ? 'doubled' : 'lost', claimed, tooMany);
		}
	}
}
