import type { IDataObject, NodeApiError } from 'n8n-workflow';

/** How a failure is put: what happened, then why and what to do. */
export interface Words {
	message: string;
	description: string;
	failure?: NodeApiError['failure'];
}

/** An error about a call of the service; the node file makes n8n's error of it, with the item. */
export class CallError extends Error {
	readonly description: string;

	readonly statusCode?: number;

	readonly failure?: NodeApiError['failure'];

	/** Whether the service may have done all the same what it was asked for. */
	readonly isOutcomeUnknown: boolean;

	/** What a flow needs to go on from here. */
	readonly details: IDataObject;

	constructor({
		message,
		description,
		failure,
		statusCode,
		isOutcomeUnknown = false,
		details = {},
	}: Words & { statusCode?: number; isOutcomeUnknown?: boolean; details?: IDataObject }) {
		super(message);
		this.description = description;
		this.failure = failure;
		this.statusCode = statusCode;
		this.isOutcomeUnknown = isOutcomeUnknown;
		this.details = details;
	}
}

/** An error that says, besides, what was done before it, so that nobody does it again. */
export function withNote(error: Error, note: string): Error {
	const { description = '' } = error as { description?: string | null };
	const noted = `${description ?? ''} ${note}`.trim();
	// An error that is remembered for the next try must not collect the notes of each.
	if (error instanceof CallError)
		return new CallError({ ...error, message: error.message, description: noted });
	return Object.assign(error, { description: noted });
}
