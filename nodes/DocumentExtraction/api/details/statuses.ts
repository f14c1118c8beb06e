import type { DocumentExtractionCredential } from '../credential';
import { detailText, unquoted } from './detail';

/** The values of `extraction_status` that mean finished; empty where the user has named none. */
export function finishedStatuses(credential: DocumentExtractionCredential): Set<string> {
	return new Set(
		detailText(credential, 'finishedStatuses').split(',').map(unquoted).filter(Boolean),
	);
}
