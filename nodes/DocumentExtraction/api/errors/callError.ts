import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { asSentence, sentences } from '../sentences';

/** What happened, then why and what to do. */
export interface Words {
	message: string;
	description: string;
	failure?: NodeApiError['failure'];
}

/** An error about a call to the service; actions/errors.ts makes an error of n8n out of it, with the item. */
export class CallError extends Error {
	readonly description: string;

	readonly statusCode?: number;

	readonly failure?: NodeApiError['failure'];

	/** Whether the service may have processed the request all the same. */
	readonly isOutcomeUnknown: boolean;

	/** Whether the same call may succeed later. */
	readonly mayPass: boolean;

	/** What a flow needs to go on from here. */
	readonly details: IDataObject;

	constructor({
		message,
		description,
		failure,
		statusCode,
		isOutcomeUnknown = false,
		mayPass = false,
		details = {},
	}: Words & {
		statusCode?: number;
		isOutcomeUnknown?: boolean;
		mayPass?: boolean;
		details?: IDataObject;
	}) {
		super(message);
		this.description = description;
		this.failure = failure;
		this.statusCode = statusCode;
		this.isOutcomeUnknown = isOutcomeUnknown;
		this.mayPass = mayPass;
		this.details = details;
	}
}

/** Adds to an error what was done before it, so that nobody does it again. */
export function withNote(error: Error, note: string): Error {
	const { description } = error as { description?: string | null };
	const noted = sentences(description && asSentence(description), note);
	// An error that is remembered for the next try must not collect a note from every try.
	if (error instanceof CallError)
		return new CallError({ ...error, message: error.message, description: noted });
	return Object.assign(error, { description: noted });
}

/** Puts what to do before what happened, where somebody is about to do the wrong thing. */
export function withPreface(error: Error, preface: string): Error {
	const message = `${preface} ${error.message}`;
	if (error instanceof CallError) return new CallError({ ...error, message });
	return Object.assign(error, { message });
}
