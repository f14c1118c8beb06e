import type { Ledger } from '../service/ledger.ts';
import { Claims } from '../simulate/claims.ts';
import { type Figures, noFigures } from '../simulate/figures.ts';
import { type Claim, deeds } from '../simulate/model.ts';
import type { SentFile } from './flow.ts';

/** What is said of files that were sent, to be held against what the service really did with them. */
export class FileClaims {
	readonly figures = noFigures();
	private readonly claims = new Claims();

	constructor(private readonly ledger: Ledger) {}

	/**
	 * @param claim of the upload, and of the extraction; the confirmation of an upload that is done is done, too
	 * @param said what n8n or the node said, for the report
	 * @param documentId the document that the node names; without it, all that the service has of the file
	 */
	add(
		file: SentFile,
		claim: { upload: Claim; extraction: Claim },
		said: string,
		documentId?: string,
	) {
		const confirmation = claim.upload === 'done' ? 'done' : 'perhaps';
		this.claims.add(deeds.upload(file.name, file.sha256), claim.upload, said);
		if (documentId) this.claims.addDocument(documentId, file.name);
		for (const upload of this.uploadsOf(file)) {
			if (documentId && upload.documentId !== documentId) continue;
			if (upload.method === 'signed') {
				this.claims.add(deeds.confirm(upload.documentId), confirmation, said);
			}
			this.claims.add(deeds.extract(upload.documentId), claim.extraction, said);
		}
	}

	uploadsOf({ sha256 }: SentFile) {
		return this.ledger.uploads.filter((upload) => upload.sha256 === sha256);
	}

	/** To be called once, when all is said. */
	compare(): Figures {
		this.claims.compare(this.ledger, this.figures);
		return this.figures;
	}
}
