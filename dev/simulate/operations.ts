import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { readBinary } from '../../test/support/binary.ts';
import { sha256 } from '../../test/support/files.ts';
import { exchange } from '../virtual/network.ts';
import { cheapPdfs } from '../virtual/service.ts';
import { itemOf, Operation } from './execution.ts';
import { runOnFiles } from './files.ts';
import {
	deeds,
	isCalledComplete,
	isHeldToAll,
	lasting,
	MAX_WAIT,
	type Claim,
	type Deed,
	type Outcome,
} from './model.ts';
import { Randomness } from './randomness.ts';
import { documentsOf, rowOf, type Round } from './round.ts';
import { ITEMS } from './textFiles.ts';

/** One of the node's operations at work, and what it claims. */
type Scenario = (operation: Operation) => Promise<void>;

const WAITING: INodeParameters[] = [{ maxWait: MAX_WAIT }, { maxWait: MAX_WAIT, settleTime: 30 }];
/** It may end between two values of a document. */
const SHORT: INodeParameters = { maxWait: 20 };
/** Enough for two calls of two documents each. */
const MOST_DOCUMENTS = 3;
function waitingOf({ random, round: { options } }: Operation): INodeParameters {
	const { name } = options.weather;
	// With the usual Max Wait, nothing is left of the wait after a read that is never answered.
	if (name === 'stalls') return {};
	return random.pick(name === 'storm' ? [{}, SHORT, ...WAITING] : WAITING);
}

const upload: Scenario = async (operation) => {
	const outcomes = await runOnFiles(operation, { resource: 'document', operation: 'upload' });
	for (const { file, done } of outcomes) {
		if (done.length > 1) operation.note('doubled', `${file.name} has ${done.length} items`);
	}
};

/** @returns the files that the node says it has all of */
async function extractFiles(
	operation: Operation,
	{ options, ...parameters }: { simple?: boolean; options?: INodeParameters },
	mayBeBlank: boolean,
) {
	const outcomes = await runOnFiles(
		operation,
		{
			resource: 'extraction',
			operation: 'extractFromFiles',
			...parameters,
			options: { ...waitingOf(operation), ...options },
		},
		mayBeBlank,
	);
	for (const { file, done, documentId } of outcomes) {
		if (documentId === undefined) continue;
		operation.claim(deeds.extract(documentId), done.length > 0 ? 'done' : 'perhaps', file.name);
	}
	return outcomes.filter(({ done }) => isCalledComplete(done));
}

const extractFromFiles: Scenario = async (operation) => {
	const simple = operation.random.pick([true, false]);
	const options = { includeConfidence: simple && operation.round.isRated };
	const complete = await extractFiles(operation, { simple, options }, true);
	for (const { file, done, documentId } of complete) {
		if (documentId === undefined) continue;
		const items = done.map(({ json }) => json);
		operation.round.compareConfidences(items, operation.number);
		operation.round.compareAtEnd(documentId, items, simple, operation.number);
		const said = JSON.stringify(items.map((json) => ({ ...json, file: null, fileName: null })));
		if (!said.includes(file.value)) operation.note('lost', `${file.name} in ${said}`);
	}
};

/** Each line of a file's table is an item, with the file's hash and the value that stands once. */
const extractRows: Scenario = async (operation) => {
	const { columns } = operation.round.workflows.main;
	const [, { name: supplier }] = columns;
	const table = columns.find(({ type }) => type === 'table')?.name;
	if (table === undefined) return;
	const rowsOf = { __rl: true, mode: 'name', value: table };
	const options = { fileHash: true, rowsOf };
	const complete = await extractFiles(operation, { options }, false);
	for (const { file, done } of complete) {
		const given = done.map(({ json }) => {
			const cells = [json[`${table} Item`], json[`${table} Of`]];
			return JSON.stringify([json.row, ...cells, json[supplier], json.fileHash]);
		});
		const hash = sha256(file.content);
		const lines = ITEMS.map((item, index) =>
			JSON.stringify([index + 1, item, file.value, file.value, hash]),
		);
		operation.round.compareRows(`lines of ${file.name}`, lines, given, operation.number);
		const isOther = given.some((line) => !lines.includes(line));
		if (isOther) operation.note('lost', [`lines of ${file.name}`, given]);
	}
};

/**
 * One deed for each input item, which holds one of these documents.
 * @param own what differs from Extract Documents
 */
async function extract(operation: Operation, own: INodeParameters, documentIds: string[]) {
	const parameters = {
		resource: 'extraction',
		operation: 'extractDocuments',
		documentIds: '={{ $json.id }}',
		...own,
	};
	const outcome = await operation.run(parameters, { jsons: documentIds.map((id) => ({ id })) });
	for (const [index, id] of documentIds.entries()) {
		const done = outcome.done.filter(({ json }) => json.documentId === id);
		const failed = outcome.failed.filter(({ pairedItem }) => itemOf(pairedItem) === index);
		if (done.length + failed.length > 1) operation.note('doubled', `${id} is in the outputs twice`);
		const claim = claimOf(outcome, done[0], failed[0], id);
		operation.claim(deeds.extract(id), claim, failed[0]?.json);
	}
	return outcome;
}

async function extractedBefore({ round, random }: Operation): Promise<string[]> {
	const { documentIds } = await round.service.control.seed({
		documents: random.between(1, MOST_DOCUMENTS),
	});
	return documentIds;
}

/** What expressions give for booleans, and what is none. */
const YES = [true, 'true', '1'].map((value) => `={{ ${JSON.stringify(value)} }}`);
const NO = [false, 'false', '0'].map((value) => `={{ ${JSON.stringify(value)} }}`);
const NEITHER = ['', 'no'].map((value) => `={{ ${JSON.stringify(value)} }}`);

const extractOne: Scenario = async (operation) => {
	const parameters = {
		resource: 'extraction',
		operation: 'extractOne',
		documentId: '={{ $json.id }}',
		options: { body: JSON.stringify({ [operation.round.service.account.forceField]: true }) },
	};
	await extract(operation, parameters, await extractedBefore(operation));
};

const extractDocuments: Scenario = async (operation) => {
	const { random } = operation;
	const parameters = {
		wait: random.pick([...YES, ...NO]),
		options: {
			...waitingOf(operation),
			calls: random.pick(['once', 'perItem']),
			force: random.pick(YES),
			documentsPerCall: random.pick([2, 1000]),
		},
	};
	await extract(operation, parameters, await extractedBefore(operation));
};

/** A document that the service does not know shares its call with others, and fails alone. */
const extractWithUnknown: Scenario = async (operation) => {
	const { random } = operation;
	const force = random.pick([...YES, ...NEITHER]);
	const parameters = {
		options: { force, documentsPerCall: random.pick([2, 1000]) },
	};
	const known = await extractedBefore(operation);
	const unknown = `unknown-${operation.number}-${random.between(0, 2 ** 31)}`;
	const { done } = await extract(operation, parameters, [...known, unknown]);
	if (NEITHER.includes(force) && done.length > 0) {
		operation.note('doubled', `${force} was taken for a yes`);
	}
};

/** Documents that have results of one column, and get those of the others. */
const extractNewColumns: Scenario = async (operation) => {
	const { round } = operation;
	const [first, ...others] = round.workflows.main.columns.map(({ id }) => id);
	const { documentIds } = await round.service.control.seed({ documents: 2, columns: [first] });
	const parameters = {
		wait: true,
		options: { ...waitingOf(operation), columnIds: others.map(String) },
	};
	const { done } = await extract(operation, parameters, documentIds);
	if (round.waitsByResultsAlone && done.length > 0) {
		operation.note('incomplete', ['old results were taken for new ones', done[0].json]);
	}
};

/** n8n asks for the URL, somebody else puts the file, n8n confirms. */
const urlAndConfirm: Scenario = async (operation) => {
	const fileName = `${operation.random.between(0, 2 ** 31)}.${operation.number}.txt`;
	const content = 'Supplier: somebody else';
	const created = await operation.run({
		resource: 'document',
		operation: 'createUploadUrl',
		fileName,
		contentType: 'text/plain',
		options: { fileSize: content.length },
	});
	const item = claimOnly(operation, deeds.uploadUrl(fileName), created);
	if (!item) return;
	const id = String(item.json.documentId);
	operation.round.claims.addDocument(id, fileName, operation.number);
	if (!(await put(String(item.json.uploadUrl), content))) return;

	const confirmed = await operation.run({
		resource: 'document',
		operation: 'confirmUpload',
		documentIds: id,
	});
	claimOnly(operation, deeds.confirm(id), confirmed);
	claimOnly(operation, deeds.upload(fileName, sha256(content)), confirmed);
};

/** In ms: the storage stalls for it as well, and the browser that this stands for gives up. */
const PATIENCE_MS = 60_000;

/** As a browser does, without n8n. */
async function put(url: string, body: string): Promise<boolean> {
	const headers = { 'content-type': 'text/plain' };
	const sent = exchange(url, { method: 'PUT', body, headers }).then(
		({ status }) => status >= 200 && status < 300,
		() => false,
	);
	return await Promise.race([sent, sleep(PATIENCE_MS, false)]);
}

const merge: Scenario = async (operation) => {
	const { round, random } = operation;
	const collection = random.pick(round.workflows.main.collections);
	const outcome = await operation.run({
		resource: 'collection',
		operation: 'merge',
		collection: { mode: 'id', value: collection.id },
		options: { downloadUrlField: round.service.account.downloadUrlField },
	});
	const item = claimOnly(operation, deeds.merge(collection.id), outcome);
	if (!item) return;
	if (!item.binary?.data) return operation.note('lost', ['no PDF', item.json]);
	const { merges } = await round.service.control.ledger();
	const pdf = await readBinary(item, 'data');
	if (!merges.some((merged) => merged.sha256 === sha256(pdf))) {
		operation.note('lost', `the merged PDF: what arrived has ${pdf.length} bytes`);
	}
};

const getAll = async (operation: Operation, list: INodeParameters, workflowId: string) =>
	await operation.run({ ...list, returnAll: true, options: { workflowId } });

const listResults: Scenario = async (operation) => {
	const { round, random, number } = operation;
	const simple = random.pick([true, false]);
	const list = { resource: 'extraction', operation: 'getAll', simple };
	const outcome = await getAll(operation, list, round.workflows.second.id);
	if (!isHeldToAll(outcome, round.options.weather)) return;
	const items = outcome.done.map(({ json }) => json);
	if (simple) return round.compareValues(round.results, items, number);
	const given = items.map((json) => lasting(JSON.stringify(json)));
	const known = round.results.map((result) => lasting(rowOf(result)));
	round.compareRows('the list of results', known, given, number);
};

/** More than are downloaded at once: while the last ones wait, their URLs may expire. */
const MOST_FILES = 40;
/** What all seeded documents share. */
const BLANK_PDF = String(await cheapPdfs.blank());

const listFiles: Scenario = async (operation) => {
	const { round, random, number } = operation;
	if (!round.details.fileUrlField) return;
	const { id: workflowId } = round.workflows.second;
	const { done } = await operation.run({
		resource: 'extraction',
		operation: 'getAll',
		limit: random.between(1, MOST_FILES),
		options: { workflowId, includeFile: true, includeConfidence: round.isRated },
	});
	round.compareConfidences(
		done.map(({ json }) => json),
		number,
	);
	for (const item of done) {
		if (JSON.stringify(item.json).includes('X-Amz-')) operation.note('leaked', item.json);
		const file = item.binary ? await readBinary(item, 'data') : Buffer.of();
		if (String(file) !== BLANK_PDF) operation.note('fileless', item.json);
	}
};

const DOCUMENTS = { resource: 'document', operation: 'getAll' };

const listDocuments: Scenario = async (operation) => {
	const { round } = operation;
	const outcome = await getAll(operation, DOCUMENTS, round.workflows.second.id);
	if (!isHeldToAll(outcome, round.options.weather)) return;
	const listed = outcome.done.map(({ json }) => JSON.stringify(json)).join('\n');
	const documents = documentsOf(round.results);
	const given = documents.flatMap((id) =>
		Array<string>(listed.split(`"${id}"`).length - 1).fill(id),
	);
	round.compareRows('the list of documents', documents, given, operation.number);
};

const getWorkflow: Scenario = async (operation) => {
	await operation.run({ resource: 'workflow', operation: 'get' });
};

const waitUntilExtracted: Scenario = async (operation) => {
	const options = { ...waitingOf(operation), workflowId: operation.round.workflows.second.id };
	await operation.run({ resource: 'workflow', operation: 'waitUntilExtracted', options });
};

/**
 * What the node says of a deed: by an item of its output, else by the one that failed.
 * @param started the document that a later part of the same run may name as started before
 */
function claimOf(
	{ isCanceled }: Outcome,
	done: INodeExecutionData | undefined,
	failed: INodeExecutionData | undefined,
	started?: string,
): Claim {
	// Nobody is told how far the run was when Stop was pressed.
	if (isCanceled) return 'perhaps';
	if (done) return 'done';
	const message = String(failed?.json.message);
	const [, before = ''] = /Already started for: (.*)/.exec(message) ?? [];
	if (started !== undefined && before.includes(started)) return 'done';
	if (
		/[Tt]he extraction (was started|may still be running)|The collection was merged/.test(message)
	) {
		return 'done';
	}
	return message.includes('The outcome is unknown') ? 'perhaps' : 'not done';
}

/** The deed of a run of one item, which is given back if it was done. */
function claimOnly(operation: Operation, deed: Deed, outcome: Outcome) {
	const [item] = outcome.done;
	const [failed] = outcome.failed;
	operation.claim(deed, claimOf(outcome, item, failed), failed?.json);
	return item as INodeExecutionData | undefined;
}

/** Every operation of the node; what the flows of most users do comes more often. */
const allOperations: Scenario[] = [
	extractFromFiles,
	extractFromFiles,
	extractRows,
	upload,
	upload,
	upload,
	extractOne,
	extractDocuments,
	extractNewColumns,
	urlAndConfirm,
	merge,
	listResults,
	listResults,
	listFiles,
	listDocuments,
	getWorkflow,
	waitUntilExtracted,
];

/** Where uploads are slow, one in so many uploads; the others come meanwhile, and should not notice. */
const UPLOADS_ONE_IN = 3;
const LATEST_MS = 60_000;

/** What an operation of a round may be. */
function scenariosOf({ options: { weather } }: Round, number: number): Scenario[] {
	// What fails, and should, has no place where everybody has to succeed.
	if (weather.name === 'storm') return [...allOperations, extractWithUnknown];
	if (!weather.hasSlowUploads) return allOperations;
	// Not Extract From Files: waiting for so many takes thousands of looks, which fewer show as well.
	if (number % UPLOADS_ONE_IN === 0) return [upload];
	const reads = [listResults, listDocuments, getWorkflow];
	return (weather.name === 'merge refused' ? [merge, ...reads] : reads).map(
		(scenario): Scenario =>
			async (operation) => {
				await sleep(operation.random.between(0, LATEST_MS));
				await scenario(operation);
			},
	);
}

type Run = (operation: number, work: () => Promise<void>) => Promise<void>;

/**
 * Runs operations, some of them at the same time, as in an n8n that has several workflows. Each has
 * random choices of its own, which depend on no other one's pace.
 * @param run runs the work of one
 * @returns `unfinished`: the numbers of those that have begun and not ended
 */
export function takeTurns(
	round: Round,
	random: Randomness,
	operations: number,
	lanes: number,
	run: Run = async (_, work) => await work(),
) {
	const randoms = Array.from(
		{ length: operations },
		() => new Randomness(random.between(0, 2 ** 31)),
	);
	const numbers = randoms.keys();
	const unfinished = new Set<number>();
	const lane = async () => {
		for (const number of numbers) {
			const own = randoms[number];
			unfinished.add(number);
			await run(number, async () => {
				await own.pick(scenariosOf(round, number))(new Operation(round, number, own));
			});
			unfinished.delete(number);
		}
	};
	const done = Promise.all(Array.from({ length: lanes }, lane));
	return { done, unfinished };
}
