/** What to say where it cannot be told whether an extraction is over. */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { addHint, fewOf } from '../api/run';
import type { Doubt } from '../api/waiting/verdict';
import { MOST_NAMED } from './simplified';

const REASONS: { [doubt in Doubt]: string } = {
	time: 'Max Wait was over before the node could see that nothing changes any more',
	pieces:
		"their values came one after another, and only 'Finished Statuses' or 'Workflow Endpoint' in the credential would tell that there are no more",
	workflow:
		"the workflow does not tell which documents it extracts, and they may still wait their turn: only 'Finished Statuses' in the credential would tell",
};

/** The field of an item, in all operations that wait; none where there is no doubt. */
export function doubtField(doubt: Doubt | undefined): IDataObject {
	return doubt ? { complete: false } : {};
}

/** @param nameOf what a document, or the workflow, is called */
export function hintAtDoubts(
	context: IExecuteFunctions,
	waited: Array<{ id: string; doubt?: Doubt }>,
	nameOf: (id: string) => string = (id) => id,
) {
	for (const [doubt, reason] of Object.entries(REASONS)) {
		const ids = waited.flatMap((own) => (own.doubt === doubt ? [own.id] : []));
		if (ids.length === 0) continue;
		addHint(
			context,
			`May be incomplete: ${fewOf(ids.map(nameOf), MOST_NAMED)}. The items have complete: false, because ${reason}.`,
		);
	}
}
