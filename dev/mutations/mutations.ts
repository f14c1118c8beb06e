/** Rules of the node that are broken on purpose, to see that somebody notices. */
import type { Wrong } from '../simulate/figures.ts';
import type { Patch } from '../simulate/node.ts';

const node = 'nodes/DocumentExtraction';
const http = `${node}/http`;
const api = `${node}/api`;
const account = `${node}/account`;
const actions = `${node}/actions`;
const messages = `${node}/messages`;
const waiting = `${node}/waiting`;
const rows = `${node}/rows`;

export interface Mutation {
	breaks: string;
	patches: Patch[];
	/** What the simulation must find one of. */
	moves: Wrong[];
	/** Also broken for chaos, which must move one of its figures by these disasters. */
	chaos?: { moves: string[]; shownBy: string[] };
}

const answersLost = 'service cut off from its answers';
export const clockBack = 'clock of a worker set back';
export const limited = 'service limited';

export const mutations: Mutation[] = [
	{
		breaks: 'repeats writes after a 500',
		moves: ['doubled'],
		patches: [
			{
				file: `${http}/request.ts`,
				from: "if (retry === 'reads' && isWrite) return undefined;",
				to: '',
			},
		],
		chaos: { moves: ['doubled without a word'], shownBy: [answersLost] },
	},
	{
		breaks: 'hides that the outcome of a write is unknown',
		moves: ['lost', 'doubled'],
		patches: [
			{
				file: `${api}/callError.ts`,
				from: 'call.changes !== undefined && failure.mayHaveBeenDone',
				to: 'false',
			},
		],
		chaos: { moves: ['lost'], shownBy: [answersLost] },
	},
	{
		breaks: 'gives no output for files that failed',
		moves: ['lost'],
		patches: [
			{
				file: `${actions}/extraction/extractFromFiles.operation.ts`,
				from: 'return item.uploads.map((upload) => {',
				to: 'return item.uploads.filter(({ error }) => !error).map((upload) => {',
			},
		],
		chaos: { moves: ['lost'], shownBy: [answersLost] },
	},
	{
		breaks: 'waits by the time of day',
		moves: ['overlong', 'unexplained'],
		patches: [
			{
				file: `${http}/concurrency.ts`,
				from: 'const until = performance.now() + ms;',
				to: 'const until = Date.now() + ms;',
			},
			{
				file: `${http}/concurrency.ts`,
				from: 'left = until - performance.now()',
				to: 'left = until - Date.now()',
			},
		],
		chaos: { moves: ['files in executions that hang'], shownBy: [clockBack] },
	},
	{
		breaks: 'goes on waiting for Max Wait when the results are there',
		moves: ['overlong', 'unexplained'],
		patches: [
			{
				file: `${waiting}/polling.ts`,
				from: ' || polls.length === 0) return;',
				to: ') return;',
			},
		],
		chaos: { moves: ['processes that hold more than before'], shownBy: [limited] },
	},
	{
		breaks: 'forgets under Retry On Fail that an outcome is unknown',
		moves: ['doubled'],
		patches: [
			{
				file: `${api}/memory.ts`,
				from: 'const isKnownUndone =',
				to: 'const isKnownUndone = outcome.error ||',
			},
		],
	},
	{
		breaks: 'sends a consumed stream again',
		moves: ['unexplained'],
		patches: [
			{
				file: `${actions}/itemFiles.ts`,
				from: 'return { ...about, open };',
				to: 'const stream = await open();\n\t\treturn { ...about, open: async () => stream };',
			},
		],
	},
	{
		breaks: 'follows redirects with the key',
		moves: ['leaked'],
		patches: [
			{
				file: `${api}/service.ts`,
				from: 'disableFollowRedirect: true',
				to: 'disableFollowRedirect: false',
			},
			...[
				['disableFollowRedirect: true', 'disableFollowRedirect: false'],
				['maxRedirects: 0', 'maxRedirects: 5'],
				[
					'sendCredentialsOnCrossOriginRedirect: false',
					'sendCredentialsOnCrossOriginRedirect: true',
				],
			].map(([from, to]) => ({ file: `${account}/authenticate.ts`, from, to })),
		],
	},
	{
		breaks: 'swallows a failed page',
		moves: ['lost'],
		patches: [
			{
				file: `${api}/pages.ts`,
				from: 'await readPage(reading, number);',
				to: 'await readPage(reading, number).catch(() => ({ ...first, items: [] }));',
			},
			// A page that is missing would be noticed all the same: the rows are counted.
			{ file: `${api}/pages.ts`, from: 'isComplete && (', to: '(' },
		],
	},
	{
		breaks: 'hands signed URLs on',
		moves: ['leaked'],
		patches: [
			{
				file: `${api}/upload.ts`,
				from: 'withoutSignedUrls(upload.response, { url: upload.url, headers: upload.source })',
				to: 'upload.response',
			},
		],
	},
	{
		breaks: 'drops the file of a failed item',
		moves: ['fileless'],
		patches: [
			{
				file: `${node}/DocumentExtraction.node.ts`,
				from: 'files = binary ?? input.binary',
				to: 'files = binary && undefined',
			},
		],
	},
	{
		breaks: 'waits for ever for what stalls',
		moves: ['overlong', 'unexplained'],
		patches: [
			{
				file: `${http}/transfer.ts`,
				from: 'this.elapsedMs > this.allowedUntil',
				to: 'this.elapsedMs > Infinity',
			},
		],
	},
	{
		breaks: 'cuts uploads that move, but slowly',
		moves: ['unexplained'],
		patches: [
			{
				file: `${http}/payload.ts`,
				from: "AsyncIterable<Buffer>) {\n\t\t\t\ttransfer.allow(IDLE_LIMIT_MS, 'sending');",
				to: 'AsyncIterable<Buffer>) {',
			},
			// A file of 1 MB is sent in half a minute.
			{ file: `${http}/transfer.ts`, from: 'IDLE_LIMIT_MS = 60_000', to: 'IDLE_LIMIT_MS = 10_000' },
		],
	},
	{
		breaks: 'takes documents that wait their turn for extracted',
		moves: ['lost', 'incomplete', 'unexplained'],
		patches: [
			{
				file: `${waiting}/verdict.ts`,
				from: "sign === 'statuses' || !before",
				to: "sign !== 'results' || !before",
			},
			{
				file: `${waiting}/verdict.ts`,
				from: 'MISSING_SETTLE_TIMES = 10',
				to: 'MISSING_SETTLE_TIMES = 1',
			},
		],
	},
	{
		breaks: 'takes results that were there before for new ones',
		moves: ['incomplete'],
		patches: [
			{
				file: `${waiting}/sign.ts`,
				from: 'if (extracted.length === 0) return',
				to: 'if (extracted) return',
			},
		],
	},
	{
		breaks: 'takes the first values for all',
		moves: ['lost', 'incomplete'],
		patches: [
			{
				file: `${waiting}/verdict.ts`,
				from: 'const pauseMs = Math.max(',
				to: 'const pauseMs = Math.min(0, ',
			},
		],
	},
	{
		breaks: 'does not wait for nulls to be filled in',
		moves: ['lost', 'incomplete'],
		patches: [
			{
				file: `${waiting}/verdict.ts`,
				from: 'const pauseMs = Math.max(',
				to: 'const pauseMs = isMissing ? settleMs : Math.max(',
			},
		],
	},
	{
		breaks: 'reads results at the moment of the finished status only',
		moves: ['lost', 'incomplete'],
		patches: [
			{
				file: `${waiting}/verdict.ts`,
				from: '[hasEnded, settleMs]',
				to: '[hasEnded, 0]',
			},
		],
	},
	{
		breaks: 'takes values that earlier documents lack as well for all',
		moves: ['lost', 'incomplete'],
		patches: [
			{
				file: `${rows}/values.ts`,
				from: '\t\tisWhole,\n',
				to: '		isWhole: there.length > 0,\n',
			},
		],
	},
	{
		breaks: 'gives the first page of a list of another shape as all of it',
		moves: ['lost'],
		patches: [
			{
				file: `${api}/documents.ts`,
				from: 'rows.length < limit) hintAtMore',
				to: 'rows.length > limit) hintAtMore',
			},
		],
	},
	{
		breaks: 'hands on without a word what cannot be told',
		moves: ['lost', 'incomplete'],
		patches: [
			{
				file: `${actions}/waiting.ts`,
				from: 'return doubt ? { complete: false } : {};',
				to: 'return doubt ? {} : {};',
			},
		],
	},
	{
		breaks: 'lets one read that is never answered hold up the wait',
		moves: ['unexplained'],
		patches: [
			{
				file: `${api}/service.ts`,
				from: 'isLook ? LOOK_PATIENCE_MS : undefined',
				to: 'isLook && LOOK_PATIENCE_MS < 0 ? 0 : undefined',
			},
		],
	},
	{
		breaks: 'looks at its sign too late for an extraction that takes a moment',
		moves: ['unexplained'],
		patches: [
			{
				file: `${waiting}/wait.ts`,
				from: 'shortestMs: 500, share: 0.125',
				to: 'shortestMs: 1_000, share: 0.4',
			},
		],
	},
	{
		breaks: 'says nothing of the start where only waiting failed',
		moves: ['lost'],
		patches: [
			{
				file: `${actions}/extraction/extractDocuments.operation.ts`,
				from: "? failedAfter(failure, 'The extraction was started; only waiting for it failed.')",
				to: '? failure',
			},
		],
	},
	{
		breaks: 'glues the keys of what it remembers',
		moves: ['lost', 'doubled'],
		patches: [
			['.get(JSON.stringify(key))', ".get(JSON.stringify(key).replace(' URL', ''))"],
			[
				'.set(JSON.stringify(key), outcome)',
				".set(JSON.stringify(key).replace(' URL', ''), outcome)",
			],
		].map(([from, to]) => ({ file: `${api}/memory.ts`, from, to })),
	},
	{
		breaks: 'names only the first documents of a run that stopped',
		moves: ['lost'],
		patches: [
			{
				file: `${messages}/done.ts`,
				from: 'const list = files\n',
				to: 'const list = files.slice(0, 2)\n',
			},
		],
	},
	{
		breaks: 'believes pages of documents that repeat',
		moves: ['doubled'],
		patches: [
			{
				file: `${api}/documents.ts`,
				from: '(hasSettled ? seen.size < count : isPageRepeated)',
				to: 'hasSettled && !isPageRepeated && seen.size < count',
			},
		],
	},
	{
		breaks: 'believes more rows than there are in total',
		moves: ['doubled'],
		patches: [
			{
				file: `${api}/documents.ts`,
				from: 'hasSettled && count > pages[0].total',
				to: 'hasSettled && count > Infinity',
			},
		],
	},
	{
		breaks: 'rounds IDs that are long integers',
		moves: ['lost'],
		patches: [
			{
				file: `${http}/response.ts`,
				from: 'return kept === text ? json : JSON.parse(kept);',
				to: 'return json;',
			},
		],
	},
	{
		breaks: 'believes a type that says nothing',
		moves: ['lost'],
		patches: [
			{
				file: `${actions}/fileTypes.ts`,
				from: 'if (isTelling(given.toLowerCase())) return given;',
				to: 'if (MIME_TYPE.test(given)) return given;',
			},
		],
	},
	{
		breaks: 'counts the length of names in characters',
		moves: ['lost'],
		patches: [
			{
				file: `${http}/redact.ts`,
				from: 'if (Buffer.byteLength(name) <= LONGEST_NAME) return name;',
				to: 'if (name.length <= LONGEST_NAME) return name;',
			},
		],
	},
	{
		breaks: 'fails all of Get Many for one result without values',
		moves: ['lost'],
		patches: [
			{
				file: `${actions}/extraction/getMany.operation.ts`,
				from: 'return { itemIndex, error: failedAfter(error as Error, note), details: about };',
				to: 'throw error;',
			},
		],
	},
	{
		breaks: 'does not renew an upload URL that is refused with 400 after a while',
		moves: ['unexplained'],
		patches: [{ file: `${api}/upload.ts`, from: ' || (statusCode === 400 && hasWaited)', to: '' }],
	},
	{
		breaks: 'uploads without the headers that the service names',
		moves: ['unexplained'],
		patches: [
			{
				file: `${api}/service.ts`,
				from: 'headers: { ...payload.headers, ...target.headers }',
				to: 'headers: payload.headers',
			},
		],
	},
	{
		breaks: 'does not say what to do before the next click',
		moves: ['unexplained'],
		patches: [
			{
				file: `${messages}/done.ts`,
				from: 'stop.isEditor && beforeNextClick(uploaded, files.length, stop),',
				to: '',
			},
		],
	},
	{
		breaks: 'reads the workflow by calls that work on documents',
		moves: ['doubled'],
		patches: [
			{
				file: `${account}/parse.ts`,
				from: "method !== 'GET' && isShownPath(path)",
				to: "method === 'PUT' && isShownPath(path)",
			},
		],
	},
	{
		breaks: 'requests an upload URL before its upload has a place',
		moves: ['unexplained'],
		patches: [
			{
				file: `${api}/upload.ts`,
				from: 'let signed = lazily(async () => await once(client, urlKey, create));',
				to: 'const early = await once(client, urlKey, create); let signed = async () => early;',
			},
		],
	},
	{
		breaks: 'lets those who upload hold up all others',
		moves: ['overlong'],
		patches: [
			{
				file: `${http}/limiter.ts`,
				from: 'if (execution.inFlight === 0) return !isFull || now >= this.nextExtraAt;',
				to: '',
			},
		],
	},
	{
		breaks: 'fails everybody for one endpoint that refuses everything',
		moves: ['unexplained'],
		patches: [
			{
				file: `${http}/limiter.ts`,
				from: 'for (const { fail } of execution.waiters.splice(0)) fail(failure);',
				to: 'for (const other of this.present) for (const { fail } of other.waiters.splice(0)) fail(failure);',
			},
		],
	},
	{
		breaks: 'ignores the Retry-After of what left before the last hold',
		moves: ['unexplained'],
		patches: [
			{
				file: `${http}/limiter.ts`,
				from: 'this.heldUntil = Math.max(this.heldUntil, now + forAllMs);',
				to: '',
			},
		],
	},
	{
		breaks: 'counts the time of an upload as time in which it was refused',
		moves: ['unexplained'],
		patches: [
			{
				file: `${http}/request.ts`,
				from: 'this.refusedAt = isRefused ? (this.refusedAt ?? now) : undefined;',
				to: 'this.refusedAt = isRefused ? (this.startedAt ?? now) - 60_000 : undefined;',
			},
		],
	},
	{
		breaks: 'drops the cap of the jitter',
		moves: ['overlong'],
		patches: [
			{
				file: `${http}/limiter.ts`,
				from: 'Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))',
				to: 'Math.max(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures)',
			},
		],
	},
	{
		breaks: 'leaves out the last row of a table',
		moves: ['lost'],
		patches: [
			{
				file: `${actions}/rowOptions.ts`,
				from: '[held].flat();',
				to: '[held].flat().slice(0, -1);',
			},
		],
	},
	{
		breaks: 'lets a document pass without a required value',
		moves: ['lost'],
		patches: [
			{
				file: `${actions}/rowOptions.ts`,
				from: 'if (missing.length > 0) {',
				to: 'if (missing.length > required.length) {',
			},
		],
	},
	{
		breaks: 'hashes the head of a request with the file',
		moves: ['lost'],
		patches: [
			{
				file: `${http}/payload.ts`,
				from: 'hashed(file.bytes, true);',
				to: 'hashed(Buffer.concat([head, file.bytes]), true);',
			},
		],
	},
];
