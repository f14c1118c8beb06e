/** What the rules are made of. */
import type { NodeApiError } from 'n8n-workflow';

import type { Facts, FailedCall } from '../api/callError';

export interface Rule<F> {
	/** Left out where it fits always. */
	when?: (facts: F) => boolean;
	/** What happened; a response's status is added to it. */
	message: string | ((facts: F) => string);
	/** What to do; the service's own reason stands before it. */
	advice: string | ((facts: F) => string);
	/** The kind of failure, by n8n's classification. */
	cause?: Cause | ((facts: F) => Cause | undefined);
}

export type Cause = NonNullable<NodeApiError['failure']>['cause'];

/** By their names, in the order in which they are tried: the first one that fits counts, and the last one fits always. */
export interface Rules<F> {
	[name: string]: Rule<F>;
}

export type Call = FailedCall & Pick<Facts, 'reason'>;

/** The bodies in the credential that a call is made from: there, fields have the service's own names. */
export const bodiesOf = ({ suspects = [] }: Pick<Facts, 'suspects'>) =>
	suspects.filter((detail) => detail === 'confirmBody' || detail === 'uploadUrlBody');

/** For reads: of a write, what it may have done comes first. */
export const ifRead = ({ changes }: Pick<Call, 'changes'>, advice: string) =>
	changes === undefined ? advice : '';

/** What to do about a write that may have been done. */
export function outcomeUnknown({ isUpload, changes }: Partial<Call>): string {
	if (isUpload) {
		return 'The outcome is unknown: the file may be there already. Look with Document › Get Many, and upload the file again only if it is missing.';
	}
	switch (changes) {
		case 'extraction':
			return 'The outcome is unknown: the extraction may have started all the same. Look with Extraction › Get Many after a while. If the results are missing, or still the old ones, start it with Extraction › Extract Documents.';
		case 'confirmation':
			return 'The outcome is unknown: the file may be confirmed all the same. Look with Document › Get Many. If it is not there, confirm it with Document › Confirm Upload.';
		default:
			return 'The outcome is unknown: the service may have processed the request all the same. Look with Document › Get Many before you repeat it.';
	}
}
