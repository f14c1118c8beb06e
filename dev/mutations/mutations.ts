/** Rules of the node that are broken on purpose, to see that somebody notices. */
import type { Wrong } from '../simulate/figures.ts';
import type { Change } from './brokenFiles.ts';

export interface Mutation {
	breaks: string;
	changes: Change[];
	/** What the simulation must find one of. */
	moves: Wrong[];
}

export const mutations: Mutation[] = [
	{
		breaks: 'repeats writes after a 500',
		changes: [
			[
				'Retry.waitMsAfter',
				"if (failure.retry === 'reads') failure = { ...failure, retry: 'any' };",
			],
		],
		moves: ['doubled'],
	},
	{
		breaks: 'hides that the outcome of a write is unknown',
		changes: [['callError', 'failure = { ...failure, mayHaveBeenDone: false };']],
		moves: ['lost', 'doubled'],
	},
	{
		breaks: 'gives no output for files that failed',
		changes: [
			[
				'outcomeOfFile',
				'if (upload.error) return { itemIndex: upload.file.itemIndex, items: [] };',
			],
		],
		moves: ['lost'],
	},
	{
		breaks: 'waits by the time of day',
		changes: [['pause', 'const performance = Date;']],
		moves: ['overlong', 'unexplained'],
	},
	{
		breaks: 'goes on waiting for Max Wait when the results are there',
		changes: [['keepPolling', ' || polls.length === 0', '']],
		moves: ['overlong', 'unexplained'],
	},
	{
		breaks: 'forgets under Retry On Fail that an outcome is unknown',
		changes: [['recordWrite', '!isInDoubt(made.error)', 'true']],
		moves: ['doubled'],
	},
	{
		breaks: 'sends a consumed stream again',
		changes: [
			[
				'contentOf',
				'return { ...about, open };',
				'const stream = await open(); return { ...about, open: async () => stream };',
			],
		],
		moves: ['unexplained'],
	},
	{
		breaks: 'follows redirects with the key',
		changes: [
			['SEND_OPTIONS', 'disableFollowRedirect: true', 'disableFollowRedirect: false'],
			['NO_REDIRECTS', '{ maxRedirects: 5, sendCredentialsOnCrossOriginRedirect: true }'],
		],
		moves: ['leaked'],
	},
	{
		breaks: 'swallows a failed page',
		changes: [
			[
				'readUntilEmpty',
				'const read = readPage; readPage = async (...page) => await read(...page).catch(() => ({ ...first, items: [] }));',
			],
			// A page that is missing would be noticed all the same: the rows are counted.
			['readPages', 'isComplete && (', '('],
		],
		moves: ['lost'],
	},
	{
		breaks: 'hands signed URLs on',
		changes: [['uploadSigned', 'const withoutSignedUrls = (response) => response;']],
		moves: ['leaked'],
	},
	{
		breaks: 'drops the file of a failed item',
		changes: [['failedItem', 'binary ?? input.binary', 'undefined']],
		moves: ['fileless'],
	},
	{
		breaks: 'waits for ever for what stalls',
		changes: [['Transfer.allow', 'ms = Infinity;']],
		moves: ['overlong', 'unexplained'],
	},
	{
		breaks: 'cuts uploads that move, but slowly',
		changes: [
			['Transfer.allow', "if (phase === 'sending' && this.limit.phase === phase) return;"],
			// A file of 1 MB is sent in half a minute.
			['IDLE_LIMIT_MS', '10_000'],
		],
		moves: ['unexplained'],
	},
	{
		breaks: 'takes documents that wait their turn for extracted',
		changes: [
			['endOf', "sign === 'statuses' || !before", "sign !== 'results' || !before"],
			['MISSING_SETTLE_TIMES', '1'],
		],
		moves: ['lost', 'incomplete', 'unexplained'],
	},
	{
		breaks: 'takes results that were there before for new ones',
		changes: [['lookBeforeStart', 'extracted.length === 0', 'true']],
		moves: ['incomplete'],
	},
	{
		breaks: 'takes the first values for all',
		changes: [['byResults', 'pauseMs = Math.max(', 'pauseMs = Math.min(0, ']],
		moves: ['lost', 'incomplete'],
	},
	{
		breaks: 'does not wait for nulls to be filled in',
		changes: [['byResults', 'pauseMs = ', 'pauseMs = isMissing ? settleMs : ']],
		moves: ['lost', 'incomplete'],
	},
	{
		breaks: 'reads results at the moment of the finished status only',
		changes: [['byResults', '[hasEnded, settleMs]', '[hasEnded, 0]']],
		moves: ['lost', 'incomplete'],
	},
	{
		breaks: 'takes values that earlier documents lack as well for all',
		changes: [['valuesIn', 'isWhole,', 'isWhole: there.length > 0,']],
		moves: ['lost', 'incomplete'],
	},
	{
		breaks: 'gives the first page of a list of another shape as all of it',
		changes: [['hintAtMore', 'return;']],
		moves: ['lost'],
	},
	{
		breaks: 'hands on without a word what cannot be told',
		changes: [['waitFor', 'if (doubt) ', 'if (false) ']],
		moves: ['lost', 'incomplete'],
	},
	{
		breaks: 'lets one read that is never answered hold up the wait',
		changes: [['LOOK_PATIENCE_MS', 'undefined']],
		moves: ['unexplained'],
	},
	{
		breaks: 'looks at its sign too late for an extraction that takes a moment',
		changes: [['SIGN_PACE', '{ shortestMs: 1_000, share: 0.4, longestMs: 3_000 }']],
		moves: ['unexplained'],
	},
	{
		breaks: 'says nothing of the start where only waiting failed',
		changes: [['outcomesFor', 'const failedAfter = (error) => error;']],
		moves: ['lost'],
	},
	{
		breaks: 'takes the files of an item for one in its journal',
		changes: [
			['keyOf', 'JSON.stringify([position, write])', 'JSON.stringify([position[0], write])'],
		],
		moves: ['lost', 'doubled'],
	},
	{
		breaks: 'names only the first documents of a run that stopped',
		changes: [['alreadyUploaded', "names.join('; ')", "names.slice(0, 2).join('; ')"]],
		moves: ['lost'],
	},
	{
		breaks: 'believes pages of documents that repeat',
		changes: [
			[
				'assertPagesDiffer',
				'(hasSettled ? seen.size < count : isPageRepeated)',
				'hasSettled && !isPageRepeated && seen.size < count',
			],
		],
		moves: ['doubled'],
	},
	{
		breaks: 'believes more rows than there are in total',
		changes: [['assertPagesDiffer', 'count > pages[0].total', 'false']],
		moves: ['doubled'],
	},
	{
		breaks: 'rounds IDs that are long integers',
		changes: [['withRoundedNumbers', 'return json;']],
		moves: ['lost'],
	},
	{
		breaks: 'believes a type that says nothing',
		changes: [['saysNothing', 'return !MIME_TYPE.test(mimeType);']],
		moves: ['lost'],
	},
	{
		breaks: 'counts the length of names in characters',
		changes: [['shortName', 'if (name.length <= LONGEST_NAME) return name;']],
		moves: ['lost'],
	},
	{
		breaks: 'fails all of Get Many for one result without values',
		changes: [['getManyExtractions', 'catch (error) {', 'catch (error) { throw error;']],
		moves: ['lost'],
	},
	{
		breaks: 'does not renew an upload URL that is refused with 400 after a while',
		changes: [['putFile', ' || (statusCode === 400 && hasWaited)', '']],
		moves: ['unexplained'],
	},
	{
		breaks: 'uploads without the headers that the service names',
		changes: [['tryOnce', ', ...target.headers', '']],
		moves: ['unexplained'],
	},
	{
		breaks: 'does not say what to do before the next click',
		changes: [['alreadyUploaded', "files.some(({ stage }) => 'documentId' in stage)", 'false']],
		moves: ['unexplained'],
	},
	{
		breaks: 'reads the workflow by calls that work on documents',
		changes: [['parseReadEndpoint', "method !== 'GET'", "method === 'PUT'"]],
		moves: ['doubled'],
	},
	{
		breaks: 'requests an upload URL before its upload has a place',
		changes: [['putFile', 'await requestUploadUrl(client, values);']],
		moves: ['unexplained'],
	},
	{
		breaks: 'lets those who upload hold up all others',
		changes: [['RateLimiter.mayLeave', 'execution.inFlight === 0', 'false']],
		moves: ['overlong'],
	},
	{
		breaks: 'fails everybody for one endpoint that refuses everything',
		changes: [
			[
				'RateLimiter.onRefused',
				'of execution.waiters.splice(0)',
				'of [...this.present].flatMap(({ waiters }) => waiters.splice(0))',
			],
		],
		moves: ['unexplained'],
	},
	{
		breaks: 'ignores the Retry-After of what left before the last hold',
		changes: [
			['RateLimiter.onRefused', 'this.heldUntil = Math.max(this.heldUntil, now + forAllMs);', ''],
		],
		moves: ['unexplained'],
	},
	{
		breaks: 'counts the time of an upload as time in which it was refused',
		changes: [['Retry.waitMsAfter', '(this.refusedAt ?? now)', '(this.startedAt ?? now) - 60_000']],
		moves: ['unexplained'],
	},
	{
		breaks: 'drops the cap of the jitter',
		changes: [['backoffMs', 'Math.min(LONGEST_BACKOFF_MS', 'Math.max(LONGEST_BACKOFF_MS']],
		moves: ['overlong'],
	},
	{
		breaks: 'leaves out the last row of a table',
		changes: [['rowsOfTable', '[held].flat()', '[held].flat().slice(0, -1)']],
		moves: ['lost'],
	},
	{
		breaks: 'lets a document pass without a required value',
		changes: [['rowMaker', 'missing.length > 0', 'missing.length > required.length']],
		moves: ['lost'],
	},
	{
		breaks: 'hashes the head of a request with the file',
		changes: [
			['framed', 'hashed(file.bytes, true)', 'hashed(Buffer.concat([head, file.bytes]), true)'],
		],
		moves: ['lost'],
	},
];
