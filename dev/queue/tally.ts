import assert from 'node:assert/strict';
import type { Ledger } from '../service/ledger.ts';
import type { SentFile } from './flow.ts';
import type { Answer } from './intake.ts';

export interface Tally {
	documents: number;
	/** File names of documents whose values did not come back. */
	lost: string[];
	/** File names of documents that the service has twice, or extracted twice. */
	doubled: string[];
}

export const hasValues = ({ document, items }: Answer) =>
	items.some(({ file, extraction }) => file.name === document.name && extraction);

/** Compares what was sent with what the service really did and with what came back. */
export function tallyOf(sent: SentFile[], answers: Answer[], ledger: Ledger): Tally {
	const extracted = ledger.extractions.flatMap(({ documentIds }) => documentIds);
	const extractionsOf = ({ sha256 }: SentFile) =>
		ledger.uploads
			.filter((upload) => upload.sha256 === sha256)
			.map(({ documentId }) => extracted.filter((id) => id === documentId).length);

	const back = new Set(answers.filter(hasValues).map(({ document }) => document));
	const isLost = (document: SentFile) =>
		!back.has(document) || !extractionsOf(document).some((times) => times > 0);
	const isDoubled = (document: SentFile) => {
		const times = extractionsOf(document);
		return times.length > 1 || times.some((count) => count > 1);
	};
	return {
		documents: sent.length,
		lost: sent.filter(isLost).map(({ name }) => name),
		doubled: sent.filter(isDoubled).map(({ name }) => name),
	};
}

/** Nothing is lost and nothing done twice; else it says what was answered in place of values. */
export function assertNothingLost({ lost, doubled }: Tally, answers: Answer[]) {
	const withoutValues = answers
		.filter((answer) => !hasValues(answer))
		.map(({ status, text }) => `${status} ${text.slice(0, 500)}`);
	assert.deepEqual([lost, doubled], [[], []], withoutValues.join('\n'));
}
