import assert from 'node:assert/strict';
import type { Ledger } from '../service/ledger.ts';
import { type Figures, note } from '../simulate/figures.ts';
import { FileClaims } from './fileClaims.ts';
import type { SentFile } from './flow.ts';
import type { Answer } from './intake.ts';

const valuesOf = ({ document, items }: Answer) =>
	items.find(({ file, extraction }) => file.name === document.name && extraction);

export const hasValues = (answer: Answer) => valuesOf(answer) !== undefined;

/** Documents whose values did not come back are lost; those that the service has or extracted twice are doubled. */
export function tallyOf(sent: SentFile[], answers: Answer[], ledger: Ledger): Figures {
	const claims = new FileClaims(ledger);
	for (const document of sent) {
		const own = answers.filter((answer) => answer.document === document);
		const values = own.map(valuesOf).find(Boolean);
		const said = own.map(({ status, text }) => `${status} ${text}`).join('\n');
		if (!values) note(claims.figures, { wrong: 'lost', what: `${document.name}: ${said}` });
		const claim = values ? 'done' : 'perhaps';
		claims.add(document, { upload: claim, extraction: claim }, said, values?.documentId);
	}
	return claims.compare();
}

/** Fails where something is lost or was done twice, and says what. */
export function assertNothingWrong({ wrongs: { lost, doubled }, violations }: Figures) {
	const what = violations.map((violation) => violation.what).join('\n');
	assert.deepEqual({ lost, doubled }, { lost: 0, doubled: 0 }, what);
}
