import type { Failure } from '../../http/failure';
import { SLOWEST_BYTES_PER_MS, type TransferPhase } from '../../http/transfer';
import type { Client } from '../client';
import type { CallContext } from './callContext';
import { CallError, type Words } from './callError';
import { wordsForConnection } from './connectionWords';
import { tooManyRequests, wordsForResponse } from './responseWords';
import { sentences } from '../sentences';

/** The error for a call that failed: what happened, the service's own reason, and what to do. */
export function asCallError(client: Client, call: CallContext, failure: Failure): CallError {
	const isOutcomeUnknown = call.isWrite && call.shownBy !== undefined && failure.mayHaveBeenDone;
	const { description, ...words } = wordsFor(client, call, failure);
	return new CallError({
		...words,
		description: sentences(
			description,
			isOutcomeUnknown &&
				`The outcome is unknown: the service may have processed the request all the same. Before you try again, check with ${call.shownBy}.`,
		),
		statusCode: failure.kind === 'response' ? failure.response.statusCode : undefined,
		isOutcomeUnknown,
		mayPass: failure.retry !== 'none',
	});
}

function wordsFor(client: Client, call: CallContext, failure: Failure): Words {
	switch (failure.kind) {
		case 'response':
			return wordsForResponse(client, call, failure.response, failure.retryAfterMs);
		case 'rate limit too long':
			return tooManyRequests('', failure.retryAfterMs);
		case 'time limit':
			return wordsForTimeLimit(call, failure.error.phase, failure.error.limitMs);
		case 'response too large':
			return {
				message: `The response of the ${call.peer} is too large`,
				description: `It is ${failure.error.message}, more than the node takes. Ask for less at a time, e.g. with 'Limit'.`,
			};
		case 'connection':
			return wordsForConnection(client, call, failure);
	}
}

function wordsForTimeLimit({ peer }: CallContext, phase: TransferPhase, limitMs: number): Words {
	const limit = `${Math.round(limitMs / 1000)} seconds`;
	const slowest = `${(SLOWEST_BYTES_PER_MS * 8) / 1000} Mbit/s`;
	switch (phase) {
		case 'sending':
			return {
				message: `The upload to the ${peer} stalled`,
				description: `No part of the file was sent for ${limit}, so the node gave up. Check the network between n8n and the ${peer}, and try again.`,
			};
		case 'responding':
			return {
				message: `The ${peer} did not respond in time`,
				description: `It was given ${limit} for its response. Try again later.`,
			};
		case 'receiving':
			return {
				message: `The response of the ${peer} stalled`,
				description: `It started, but then arrived more slowly than ${slowest}, or not at all for a minute. Check the network between n8n and the ${peer}, and try again.`,
			};
	}
}
