/**
 * What must be so after executions, whatever went wrong: plain rules, to be read against interface.md (§).
 * The simulation asks them, and notes what is otherwise.
 */
import type { INodeExecutionData } from 'n8n-workflow';
import type { LoggedRequest } from '../service/requestLog.ts';
import type { Weather, WeatherName } from './weather.ts';

/**
 * What the node says of something that it should have made the service do: it is done; it may be
 * done, and the user is told so; or it is certainly not done.
 */
export type Claim = 'done' | 'perhaps' | 'not done';

/** Something that the service does when it is asked to, and that nobody wants twice (§7). */
export type Deed = string;

export const deeds = {
	/** §4.2, §4.3: a file that is a document now, byte for byte. */
	upload: (fileName: string, sha256: string): Deed => `upload ${fileName} (${sha256.slice(0, 8)})`,
	uploadUrl: (fileName: string): Deed => `upload URL for ${fileName}`,
	/** §4.4 */
	confirm: (documentId: string): Deed => `confirm ${documentId}`,
	/** §4.6, §4.7 */
	extract: (documentId: string): Deed => `extract ${documentId}`,
	/** §4.9 */
	merge: (collectionId: string): Deed => `merge ${collectionId}`,
};

/**
 * How often the ledger may hold a deed.
 * @param said how often the node said what of it; undefined: nothing
 * @param isStopped whether it belongs to a file at which Stop was pressed: n8n drops whatever the node says
 */
export function allowed(deed: Deed, said: Record<Claim, number> | undefined, isStopped: boolean) {
	if (said) return { least: said.done, most: said.done + said.perhaps };
	// A URL alone does nothing, and a new one is asked for when the storage takes the first one no more.
	if (deed.startsWith(deeds.uploadUrl(''))) return { least: 0, most: Infinity };
	return { least: 0, most: isStopped ? 1 : 0 };
}

/** What became of a run's items, wherever n8n put those that failed. */
export interface Outcome {
	done: INodeExecutionData[];
	failed: INodeExecutionData[];
	/** Why the node ended the run. */
	stopped?: string;
	/** Stop was pressed: n8n drops whatever the node had. */
	isCanceled: boolean;
	hints: string[];
}

/** An execution, as far as it matters for what it is held to. */
export interface Held {
	/** By n8n's names, e.g. `document upload`. */
	operation: string;
	weather: WeatherName;
	/** Whether the credential has an API Detail for one of the ways to do it. */
	isSetUp: boolean;
	/** Whether the node is told of no sign but results. */
	waitsByResultsAlone: boolean;
}

/**
 * As who waits sets it, in seconds: longer than any queue, and than all others keep the workflow
 * extracting.
 */
export const MAX_WAIT = 900;

/** Who must succeed in which weather, and how long those who read, and those who wait, may take, in ms. */
const promises: Record<WeatherName, { succeed?: RegExp; readMs?: number; waitMs?: number }> = {
	storm: {},
	// Only a wait that misses the end of the extraction lasts for Max Wait.
	calm: { succeed: /./, readMs: 30_000, waitMs: 1000 * MAX_WAIT },
	// Alone, a request that is never answered fails after five minutes; a wait has other looks.
	stalls: { succeed: /extractFromFiles/ },
	'lists refused': { succeed: /document upload$/ },
	'busy storage': { succeed: /./, readMs: 30_000 },
	// Whoever uploads holds nobody up who reads.
	'slow uploads': { succeed: /./, readMs: 10_000 },
	// An endpoint that refuses everything fails nobody else.
	'merge refused': { succeed: / get(All)?$|document upload/, readMs: 120_000 },
	// Whoever lists all of them reads again, and says where they never came to rest.
	'moving lists': { succeed: /./, readMs: 30_000 },
	// A key's limit is shared, and after a 429 all stop for a while (§8).
	limited: { succeed: /./, readMs: 120_000 },
	// It gives up some time (§8).
	'all refused': { readMs: 800_000 },
};

/** What is wrong with an execution, if anything is: whatever excuses it stands here. */
export function brokenPromise(held: Held, isFailed: boolean, tookMs: number) {
	const { operation, weather, isSetUp, waitsByResultsAlone } = held;
	const isFromFiles = operation === 'extraction extractFromFiles';
	// Old results cannot be told from new ones (§2).
	const isUntold = operation === 'extraction extractDocuments' && waitsByResultsAlone;
	if (!isSetUp || isUntold) return undefined;
	const { succeed, readMs = Infinity, waitMs = Infinity } = promises[weather];
	if (isFailed && succeed?.test(operation)) return 'unexplained';
	if (/ get(All)?$/.test(operation) && tookMs > readMs) return 'overlong';
	return isFromFiles && !waitsByResultsAlone && tookMs >= waitMs ? 'overlong' : undefined;
}

/** Whether rows go from one place of a list to another, so that their order tells nothing. */
export const doRowsMove = ({ faults }: Weather) =>
	faults.some(({ fault }) => fault.type === 'shiftRows');

/**
 * Whether a list is held to all of its rows: they may come and go between two pages (§4.5), which a
 * hint tells.
 */
export function isHeldToAll({ failed, isCanceled, hints }: Outcome, weather: Weather) {
	return failed.length === 0 && !isCanceled && !(doRowsMove(weather) && hints.length > 0);
}

/** Whether items are held to all values of a document: an item says where it may not be all. */
export const isCalledComplete = (items: INodeExecutionData[]) =>
	items.length > 0 && items.every(({ json }) => json.complete !== false);

/**
 * As far as two readings of a result must agree: addresses are signed anew, and its status may follow
 * its values.
 */
export const lasting = (row: string) =>
	row.replace(/(http[^"?]*)\?[^"]*/g, '$1').replace(/"extraction_status":(?:"\w+"|\d+),/, '');

/** What is wrong with requests of a round. */
export function flawsOf(
	requests: readonly LoggedRequest[],
	{ name, isClockSet, stopOneIn }: Weather,
) {
	const flaws: Array<[wrong: 'leaked' | 'unexplained', what: string]> = [];
	// Where nothing takes as long as an upload URL is valid.
	const keepsUrls = ['calm', 'slow uploads', 'merge refused'].includes(name) && !isClockSet;
	for (const { server, headers, operation, path, status, faults } of requests) {
		if (server === 'storage' && headers.authorization) {
			flaws.push(['leaked', `the key, to the storage: ${path}`]);
		}
		if (keepsUrls && operation === 'putFile' && status === 403) {
			flaws.push(['unexplained', `an upload URL that was requested too early: ${path} expired`]);
		}
		// A slow upload still moves, so no time limit of the node may end it.
		const isUpload = operation === 'upload' || operation === 'putFile';
		const isCut = isUpload && status === null && faults.every((type) => type === 'slowUpload');
		if (isCut && stopOneIn === 0) flaws.push(['unexplained', `an upload was cut: ${path}`]);
	}
	return flaws;
}
