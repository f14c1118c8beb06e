import type { Wrong } from '../simulate/figures.ts';
import type { Changes } from './brokenFiles.ts';

/**
 * @param moves what the simulation must find one of
 * @param changes by what a node does in which they are made
 */
const foundAs = (moves: Wrong[], changes: Record<string, Changes>) =>
	Object.entries(changes).map(([breaks, own]) => ({ breaks, changes: own, moves }));

/** Rules of the node that are broken on purpose, to see that somebody notices. */
export const mutations = [
	...foundAs(['doubled'], {
		'repeats writes after a 500': {
			'Retry.waitMsAfter': "if (failure.retry === 'reads') failure = { ...failure, retry: 'any' };",
		},
		'forgets under Retry On Fail that an outcome is unknown': {
			recordWrite: ['!isInDoubt(made.error)', 'true'],
		},
		'believes pages of documents that repeat': {
			assertPagesDiffer: [
				'(hasSettled ? seen.size < count : isPageRepeated)',
				'hasSettled && !isPageRepeated && seen.size < count',
			],
		},
		'believes more rows than there are in total': {
			assertPagesDiffer: ['count > pages[0].total', 'false'],
		},
		'reads the workflow by calls that work on documents': {
			endpointParser: ["method === 'GET'", "method !== 'PUT'"],
		},
	}),
	...foundAs(['fileless'], {
		'drops the file of a failed item': { failedItem: ['binary ?? input.binary', 'undefined'] },
	}),
	...foundAs(['incomplete'], {
		'takes results that were there before for new ones': {
			lookBeforeStart: ['extracted.length === 0', 'true'],
		},
	}),
	...foundAs(['leaked'], {
		'follows redirects with the key': {
			SEND_OPTIONS: ['disableFollowRedirect: true', 'disableFollowRedirect: false'],
			NO_REDIRECTS: '{ maxRedirects: 5, sendCredentialsOnCrossOriginRedirect: true }',
		},
		'hands signed URLs on': { uploadSigned: 'const withoutSignedUrls = (response) => response;' },
	}),
	...foundAs(['lost'], {
		'gives no output for files that failed': {
			outcomeOfFile: 'if (upload.error) return { itemIndex: upload.file.itemIndex, items: [] };',
		},
		'swallows a failed page': {
			readUntilEmpty:
				'const read = readPage; readPage = async (...page) => await read(...page).catch(() => ({ ...first, items: [] }));',
			// A page that is missing would be noticed all the same: the rows are counted.
			readPages: ['isComplete && (', '('],
		},
		'gives the first page of a list of another shape as all of it': { hintAtMore: 'return;' },
		'says nothing of the start where only waiting failed': {
			outcomesFor: 'const failedAfter = (error) => error;',
		},
		'names only the first documents of a run that stopped': {
			alreadyUploaded: ["names.join('; ')", "names.slice(0, 2).join('; ')"],
		},
		'rounds IDs that are long integers': { withRoundedNumbers: 'return json;' },
		'believes a type that says nothing': { saysNothing: 'return !MIME_TYPE.test(mimeType);' },
		'counts the length of names in characters': {
			shortName: 'if (name.length <= LONGEST_NAME) return name;',
		},
		'fails all of Get Many for one result without values': {
			getManyExtractions: ['catch (error) {', 'catch (error) { throw error;'],
		},
		'leaves out the last row of a table': {
			rowsOfTable: ['[held].flat()', '[held].flat().slice(0, -1)'],
		},
		'lets a document pass without a required value': {
			rowMaker: ['missing.length > 0', 'missing.length > required.length'],
		},
		'hashes the head of a request with the file': {
			framed: ['hashed(file.bytes, true)', 'hashed(Buffer.concat([head, file.bytes]), true)'],
		},
	}),
	...foundAs(['lost', 'doubled'], {
		'hides that the outcome of a write is unknown': {
			callError: 'failure = { ...failure, mayHaveBeenDone: false };',
		},
		'takes the files of an item for one in its journal': {
			keyOf: ['JSON.stringify([position, write])', 'JSON.stringify([position[0], write])'],
		},
	}),
	...foundAs(['lost', 'incomplete'], {
		'takes the first values for all': {
			byResults: ['pauseMs = Math.max(', 'pauseMs = Math.min(0, '],
		},
		'does not wait for nulls to be filled in': {
			byResults: ['pauseMs = ', 'pauseMs = isMissing ? settleMs : '],
		},
		'reads results at the moment of the finished status only': {
			byResults: ['[hasEnded, settleMs]', '[hasEnded, 0]'],
		},
		'takes values that earlier documents lack as well for all': {
			valuesIn: ['isWhole,', 'isWhole: there.length > 0,'],
		},
		'hands on without a word what cannot be told': { waitFor: ['if (doubt) ', 'if (false) '] },
	}),
	...foundAs(['lost', 'incomplete', 'unexplained'], {
		'takes documents that wait their turn for extracted': {
			endOf: ["sign === 'statuses' || !before", "sign !== 'results' || !before"],
			MISSING_SETTLE_TIMES: '1',
		},
	}),
	...foundAs(['overlong'], {
		'lets those who upload hold up all others': {
			'RateLimiter.mayLeave': ['execution.inFlight === 0', 'false'],
		},
		'drops the cap of the jitter': {
			backoffMs: ['Math.min(LONGEST_BACKOFF_MS', 'Math.max(LONGEST_BACKOFF_MS'],
		},
	}),
	...foundAs(['overlong', 'unexplained'], {
		'waits by the time of day': { pause: 'const performance = Date;' },
		'goes on waiting for Max Wait when the results are there': {
			keepPolling: [' || polls.length === 0', ''],
		},
		'waits for ever for what stalls': { 'Transfer.allow': 'ms = Infinity;' },
	}),
	...foundAs(['unexplained'], {
		'sends a consumed stream again': {
			contentOf: [
				'return { ...about, open };',
				'const stream = await open(); return { ...about, open: async () => stream };',
			],
		},
		'cuts uploads that move, but slowly': {
			'Transfer.allow': "if (phase === 'sending' && this.limit.phase === phase) return;",
			// A file of 1 MB is sent in half a minute.
			IDLE_LIMIT_MS: '10_000',
		},
		'lets one read that is never answered hold up the wait': { LOOK_PATIENCE_MS: 'undefined' },
		'looks at its sign too late for an extraction that takes a moment': {
			SIGN_PACE: '{ shortestMs: 1_000, share: 0.4, longestMs: 3_000 }',
		},
		'does not renew an upload URL that is refused with 400 after a while': {
			putFile: [' || (statusCode === 400 && hasWaited)', ''],
		},
		'uploads without the headers that the service names': { tryOnce: [', ...target.headers', ''] },
		'does not say what to do before the next click': {
			alreadyUploaded: ["files.some(({ stage }) => 'documentId' in stage)", 'false'],
		},
		'requests an upload URL before its upload has a place': {
			putFile: 'await requestUploadUrl(client, values);',
		},
		'fails everybody for one endpoint that refuses everything': {
			'RateLimiter.onRefused': [
				'of execution.waiters.splice(0)',
				'of [...this.present].flatMap(({ waiters }) => waiters.splice(0))',
			],
		},
		'ignores the Retry-After of what left before the last hold': {
			'RateLimiter.onRefused': ['this.heldUntil = Math.max(this.heldUntil, now + forAllMs);', ''],
		},
		'counts the time of an upload as time in which it was refused': {
			'Retry.waitMsAfter': ['(this.refusedAt ?? now)', '(this.startedAt ?? now) - 60_000'],
		},
	}),
];
