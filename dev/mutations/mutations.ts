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
			mayBeSentAgain: `(failure, isWrite) =>
				unbroken(failure.retry === 'reads' ? { ...failure, retry: 'any' } : failure, isWrite)`,
		},
		'forgets under Retry On Fail that an outcome is unknown': {
			once: `async (client, write, ...given) => {
				try {
					return await unbroken(client, write, ...given);
				} catch (error) {
					client.journal.writes.delete(keyOf(client, write));
					throw error;
				}
			}`,
		},
		'takes TLS that breaks late for a connection that was never made': {
			failedConnection: `(error, isBodyWhole) =>
				unbroken(error, isBodyWhole && !TLS_BROKE.test(causeOf(error).code))`,
		},
	}),
	...foundAs(['fileless'], {
		'drops the file of a failed item': {
			failedItem: '(...given) => ({ ...unbroken(...given), binary: undefined })',
		},
	}),
	...foundAs(['incomplete'], {
		'takes results that were there before for new ones': {
			lookBeforeStart: "(...given) => unbroken(...given).catch(() => ({ documents: 'new' }))",
		},
	}),
	...foundAs(['leaked'], {
		'follows redirects with the key': {
			SEND_OPTIONS: '({ ...unbroken, disableFollowRedirect: false })',
			NO_REDIRECTS: '({ maxRedirects: 5, sendCredentialsOnCrossOriginRedirect: true })',
		},
	}),
	...foundAs(['lost'], {
		'gives no output for files that failed': {
			outcomeOfFile: `(upload) =>
				upload.error ? { itemIndex: upload.file.itemIndex, items: [] } : unbroken(upload)`,
		},
		'says nothing of the start where only waiting failed': {
			failedAfter: `(reason, note) =>
				note.includes('The extraction was started') ? reason : unbroken(reason, note)`,
		},
		'names only the first documents of a run that stopped': {
			alreadyUploaded: '(files, failed) => unbroken(files.slice(0, 2), failed)',
		},
		'rounds IDs that are long integers': { withRoundedNumbers: '(json) => json' },
		'believes a type that says nothing': {
			typeOf: `async (type, ...given) =>
				MIME_TYPE.test(type) ? type : await unbroken(type, ...given)`,
		},
		'counts the length of names in characters': {
			shortName: '(name) => (name.length <= LONGEST_NAME ? name : unbroken(name))',
		},
		'leaves out the last row of a table': {
			rowsOfTable: `(...given) => {
				const rows = unbroken(...given);
				return rows.length > 1 ? rows.slice(0, -1) : rows;
			}`,
		},
		'hashes the name of a file': {
			hashOf: "async ({ name }) => createHash('sha256').update(name).digest('hex')",
		},
	}),
	...foundAs(['lost', 'doubled'], {
		'takes a response that reports an error for a success': { reportsFailure: '() => false' },
		'gives up all documents of a call for the one that is refused': {
			callForEach: `async (...given) => {
				const made = await unbroken(...given);
				const refused = made.find(({ error }) => error);
				return made.map((outcome) => refused ?? outcome);
			}`,
		},
		'reads a list only once, whatever moves meanwhile': {
			readPages: `async (client, first, readPage, limit, ...given) =>
				rowsOn(await readToEnd(client, first, readPage, limit, ...given)).slice(0, limit)`,
		},
		'swallows a failed page': {
			readToEnd: `(client, first, readPage, ...given) => {
				const read = async (page) =>
					await readPage(page).catch(() => ({ ...first, items: [] }));
				return unbroken(client, first, read, ...given);
			}`,
			// A page that is missing would be noticed all the same: the rows are counted.
			haveMoved: '() => false',
		},
		'hides that the outcome of a write is unknown': {
			callError: '(call, failure) => unbroken(call, { ...failure, mayHaveBeenDone: false })',
		},
		'takes the files of an item for one in its journal': {
			keyOf: `(client, write) =>
				unbroken({ ...client, writer: client.writer.split(', ')[0] }, write)`,
		},
	}),
	...foundAs(['lost', 'incomplete'], {
		'takes the first values for all': {
			verdictOf: `(facts, ...given) => ({
				...unbroken(facts, ...given),
				...(facts.results?.shown.areNone === false ? { isFinished: true } : {}),
			})`,
		},
		'reads results at the moment of the finished status only': {
			verdictOf: `(facts, ...given) =>
				unbroken({ ...facts, common: { ...facts.common, settleMs: 0 } }, ...given)`,
		},
		'takes values that earlier documents lack as well for all': {
			verdictOf: `(facts, ...given) => {
				const columns = [...(facts.results?.shown.columns ?? [])].map((name) => [name]);
				return unbroken({ ...facts, common: { ...facts.common, columns } }, ...given);
			}`,
		},
		'hands on without a word what cannot be told': {
			verdictOf: '(...given) => ({ ...unbroken(...given), isDoubtful: undefined })',
		},
	}),
	...foundAs(['lost', 'incomplete', 'unexplained'], {
		'takes documents that wait their turn for extracted': {
			verdictOf: `(facts, ...given) => {
				const wasRunning = facts.wasRunning || facts.common.sign === 'workflow';
				return unbroken({ ...facts, wasRunning }, ...given);
			}`,
			MISSING_SETTLE_TIMES: '1',
		},
	}),
	...foundAs(['overlong'], {
		'lets those who upload hold up all others': {
			'RateLimiter.mayLeave': `function (...given) {
				const hasRoom = this.isProbing || this.inFlight < Math.min(this.slots, MOST_SLOTS);
				return hasRoom && unbroken.apply(this, given);
			}`,
		},
		'drops the cap of the jitter': {
			backoffMs: `(retryAfterMs, failures) => {
				const most = Math.max(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
				return Math.max(unbroken(retryAfterMs, failures), Math.random() * most);
			}`,
		},
	}),
	...foundAs(['overlong', 'unexplained'], {
		'waits by the time of day': {
			pause: `async (ms, signal) => {
				const until = Date.now() + ms;
				for (let left = ms; left > 0; left = until - Date.now())
					await unbroken(Math.min(left, SLICE_MS), signal);
			}`,
		},
		'goes on waiting for Max Wait when the results are there': {
			forAtMost: `(ms, client, work) =>
				unbroken(ms, client, async (looking) => {
					await work(looking);
					await pause(Infinity, looking.stop);
				})`,
		},
		'waits for ever for what stalls': {
			'Transfer.allow': 'function (ms, phase) { unbroken.call(this, Infinity, phase); }',
		},
	}),
	...foundAs(['unexplained'], {
		'sends a consumed stream again': {
			contentOf: `(...given) => {
				const content = unbroken(...given);
				let stream;
				return { ...content, open: async () => (stream ??= await content.open()) };
			}`,
		},
		'cuts uploads that move, but slowly': {
			'Transfer.allow': `function (ms, phase) {
				const isGoingOn = phase === 'sending' && this.limit.phase === phase;
				if (!isGoingOn) unbroken.call(this, ms, phase);
			}`,
			// A file of 1 MB is sent in half a minute.
			IDLE_LIMIT_MS: '10_000',
		},
		'lets one read that is never answered hold up the wait': { LOOK_PATIENCE_MS: 'undefined' },
		'looks at its sign too late for an extraction that takes a moment': {
			SIGN_PACE: '({ shortestMs: 1_000, share: 0.4, longestMs: 3_000 })',
		},
		'does not renew an upload URL that is refused after a while': {
			hasExpired: '() => false',
		},
		'uploads without the headers that the service names': {
			tryOnce: `(request, options) => {
				const target = async () => ({ ...(await request.target()), headers: undefined });
				return unbroken({ ...request, target }, options);
			}`,
		},
		'requests an upload URL before its upload has a place': {
			putFile: `async (client, file, collection) => {
				const requesting = { ...client, writer: client.writer + ', URL 1' };
				await requestUploadUrl(requesting, placeholders(client, collection, file));
				return await unbroken(client, file, collection);
			}`,
		},
		'fails everybody for one endpoint that refuses everything': {
			'RateLimiter.onRefused': `function (execution, ...given) {
				unbroken.call(this, execution, ...given);
				if (!execution.failure) return;
				for (const { waiters } of this.present)
					for (const { fail } of waiters.splice(0)) fail(execution.failure);
			}`,
		},
	}),
];
