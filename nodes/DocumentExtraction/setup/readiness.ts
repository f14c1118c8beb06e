/** Which purposes of API Details are served with what is filled in, and what the others lack. */
import {
	ALL_DETAILS,
	API_DETAILS,
	hasDetail,
	labelsOf,
	PURPOSES,
	type ApiDetail,
	type Purpose,
} from '../api/details/apiDetails';
import type { DocumentExtractionCredential } from '../api/credential';
import { sentences } from '../api/sentences';

/** @param wrong the API Details that are malformed, or with which a real read failed */
export function readinessOf(credential: DocumentExtractionCredential, wrong: Set<ApiDetail>) {
	const ready = ['reading results'];
	const lacking: string[] = [];
	for (const purpose of Object.keys(PURPOSES) as Purpose[]) {
		const reasons = reasonsAgainst(credential, purpose, wrong);
		if (reasons.length === 0) ready.push(PURPOSES[purpose]);
		else lacking.push(`${PURPOSES[purpose]} (${reasons.join(', ')})`);
	}
	const works = `Works now: ${ready.join(', ')}.`;
	return {
		works,
		all: sentences(works, lacking.length > 0 && `Does not work yet: ${lacking.join('; ')}.`),
	};
}

function reasonsAgainst(
	credential: DocumentExtractionCredential,
	purpose: Purpose,
	wrong: Set<ApiDetail>,
): string[] {
	const isFilled = (detail: ApiDetail) => hasDetail(credential, detail);
	// What would replace another API Detail has no use while that one is filled in.
	const isIdle = (detail: ApiDetail) =>
		ALL_DETAILS.some(
			(other) => API_DETAILS[other].replacedBy === detail && isFilled(other) && !wrong.has(other),
		);
	const needed = ALL_DETAILS.filter((detail) => API_DETAILS[detail].neededFor?.includes(purpose));
	const used = ALL_DETAILS.filter(
		(detail) => API_DETAILS[detail].usedFor?.includes(purpose) && !isIdle(detail),
	);
	const empty = needed.filter((detail) => !isFilled(detail));
	const toCorrect = [...needed, ...used].filter((detail) => wrong.has(detail));
	// Values Field and Column Name Field: one of them is enough.
	const isOneEnough = purpose === 'simplify';
	const isLacking = isOneEnough ? empty.length === needed.length : empty.length > 0;
	return [
		...(isLacking ? [`needs ${labelsOf(empty, isOneEnough ? ' or ' : ', ')}`] : []),
		...(toCorrect.length > 0 ? [`correct ${labelsOf(toCorrect, ', ')}`] : []),
	];
}
