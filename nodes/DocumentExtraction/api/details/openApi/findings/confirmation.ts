/** Confirm Method and Confirm Body, of the endpoint that confirms signed uploads (§4.4). */
import type { Operation } from '../operations';
import { bodies, UPLOAD_NAMES } from './bodies';
import { listed, notDescribed, type Findings, type Found } from './found';
import { isConfirm, type Reference } from './reference';

const CONFIRM_NAMES = new Set(['document_id', ...UPLOAD_NAMES]);

export function findConfirmation(
	reference: Reference,
): Pick<Findings, 'confirmMethod' | 'confirmBody'> {
	const confirming = reference.operations.filter(
		(operation) => isConfirm(operation) && operation.method !== 'GET',
	);
	if (confirming.length === 0) {
		const note = notDescribed('a path that ends with /documents/confirm', 'signed uploads');
		return { confirmMethod: { found: [], note }, confirmBody: { found: [], note } };
	}
	return {
		confirmMethod: confirmMethod(confirming),
		confirmBody: confirmBody(reference, confirming),
	};
}

function confirmMethod(confirming: Operation[]): Found {
	const found = confirming.map(({ method, definition }) => ({ value: method, at: definition.at }));
	const isFixed = new Set(found.map(({ value }) => value)).size === 1;
	return listed(
		found,
		isFixed ? undefined : 'Several methods are described. Choose the one that confirms uploads.',
	);
}

function confirmBody(reference: Reference, confirming: Operation[]): Found {
	const { found, notes } = bodies(reference, confirming, CONFIRM_NAMES);
	const lacksId = found.some(({ value }) => !value.includes('{document_id}'));
	return listed(
		found,
		...notes,
		lacksId ? 'Write {document_id} where the ID of the document goes.' : undefined,
	);
}
