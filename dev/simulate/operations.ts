import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeExecutionData } from 'n8n-workflow';
import { readBinary } from '../../test/support/binary.ts';
import { sha256 } from '../../test/support/files.ts';
import { deeds, type Claim } from './deeds.ts';
import { runOnFiles } from './files.ts';
import { exchange } from '../virtual/network.ts';
import { listsInAnotherShape, ODD_RESULTS, unreadableLists } from './oddLists.ts';
import { ITEMS } from './textFiles.ts';
import { itemOf, type Handling, type Operation, type Outcome, type Round } from './round.ts';
import { hasSlowUploads } from './weather.ts';

/** One of the node's operations at work, and what it claims. */
export type Scenario = (operation: Operation) => Promise<void>;

/** In seconds: longer than any queue. Where a sign never comes, there is a look every three seconds. */
const WAITING = [{}, { maxWait: 900 }, { maxWait: 900, settleTime: 30 }];
/** Enough for two calls of two documents each. */
const MOST_DOCUMENTS = 3;
const waitingOf = ({ random }: Operation) => random.pick(WAITING);

const HANDLINGS: Handling[] = ['continueErrorOutput', 'continueRegularOutput'];

const upload: Scenario = async (operation) => {
	const outcomes = await runOnFiles(operation, { resource: 'document', operation: 'upload' });
	for (const { file, done } of outcomes) {
		if (done.length > 1) operation.note('doubled', `${file.name} has ${done.length} items`);
	}
};

const extractFromFiles: Scenario = async (operation) => {
	const { round, random } = operation;
	const isSimple = random.pick([true, false]);
	const outcomes = await runOnFiles(operation, {
		resource: 'extraction',
		operation: 'extractFromFiles',
		simple: isSimple,
		options: waitingOf(operation),
	});
	for (const { file, done, documentId } of outcomes) {
		if (documentId === undefined) continue;
		operation.claim(deeds.extract(documentId), done.length > 0 ? 'done' : 'perhaps', file.name);
		if (done.length === 0) continue;
		// The item says that it may not be all.
		if (done.some(({ json }) => json.complete === false)) continue;
		const items = done.map(({ json }) => json);
		round.results.set(documentId, { items, isSimple, operation: operation.number });
		const said = JSON.stringify(items.map((json) => ({ ...json, file: null, fileName: null })));
		if (!said.includes(file.value)) operation.note('lost', `${file.name} in ${said}`);
	}
};

/** Each line of a file's table is an item, with the file's hash and the value that stands once. */
const extractRows: Scenario = async (operation) => {
	const [, { name: supplier }] = operation.round.main.columns;
	const { done: complete } = await rowsFromFiles(operation, supplier);
	for (const { file, done } of complete) {
		const given = done.map(({ json }) =>
			JSON.stringify([json.row, json.Item, json.Of, json[supplier], json.fileHash]),
		);
		const hash = sha256(file.content);
		const lines = ITEMS.map((item, index) =>
			JSON.stringify([index + 1, item, file.value, file.value, hash]),
		);
		operation.round.compareRows(`lines of ${file.name}`, lines, given, operation.number);
		const isOther = given.some((line) => !lines.includes(line));
		if (isOther) operation.note('lost', [`lines of ${file.name}`, given]);
	}
};

/** No file says who approved it, so none may pass for complete. */
const extractUnapproved: Scenario = async (operation) => {
	const { done, failed } = await rowsFromFiles(operation, 'Approved by');
	for (const { file } of done)
		operation.note('lost', `${file.name} passed, though nobody approved it`);
	for (const { json } of failed) {
		const isMissing = String(json.error).startsWith('No value for');
		const isGiven = /: N\d+N\d+|may not have been complete/.test(String(json.message));
		if (isMissing && !isGiven) operation.note('lost', ['the values that are there', json]);
	}
};

async function rowsFromFiles(operation: Operation, requiredColumns: string) {
	const table = operation.round.main.columns.find(({ type }) => type === 'table');
	if (!table) return { done: [], failed: [] };
	const outcomes = await runOnFiles(
		operation,
		{
			resource: 'extraction',
			operation: 'extractFromFiles',
			options: {
				...waitingOf(operation),
				fileHash: true,
				rowsOf: { __rl: true, mode: 'name', value: table.name },
				requiredColumns,
			},
		},
		false,
	);
	for (const { file, done, documentId } of outcomes) {
		if (documentId === undefined) continue;
		operation.claim(deeds.extract(documentId), done.length > 0 ? 'done' : 'perhaps', file.name);
	}
	return {
		done: outcomes.filter(
			// The item says that it may not be all.
			({ done }) => done.length > 0 && done.every(({ json }) => json.complete !== false),
		),
		failed: outcomes.flatMap((outcome) => outcome.failed),
	};
}

const FORCE = { atlas: { force: true }, borealis: { overwrite: true }, cobalt: { again: true } };

const extractOne: Scenario = async (operation) => {
	const { round, random } = operation;
	const ids = await round.extracted(random.between(1, MOST_DOCUMENTS));
	const outcome = await operation.run(
		{
			resource: 'extraction',
			operation: 'extractOne',
			documentId: '={{ $json.id }}',
			options: { body: JSON.stringify(FORCE[round.service.account.profile]) },
		},
		random.pick(HANDLINGS),
		ids.map((id) => ({ id })),
	);
	claimExtractions(operation, ids, outcome);
};

const extractDocuments: Scenario = async (operation) => {
	const { round, random } = operation;
	const ids = await round.extracted(random.between(1, MOST_DOCUMENTS));
	const outcome = await operation.run(
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: '={{ $json.id }}',
			calls: random.pick(['once', 'perItem']),
			force: true,
			wait: random.pick([true, false]),
			options: { ...waitingOf(operation), documentsPerCall: random.pick([2, 1000]) },
		},
		random.pick(HANDLINGS),
		ids.map((id) => ({ id })),
	);
	claimExtractions(operation, ids, outcome);
};

/** Documents that have results of one column, and get those of the others. */
const extractNewColumns: Scenario = async (operation) => {
	const { round, random } = operation;
	const [first, ...others] = round.main.columns.map(({ id }) => id);
	const { documentIds } = await round.service.control.seed({ documents: 2, columns: [first] });
	const outcome = await operation.run(
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: '={{ $json.id }}',
			wait: true,
			options: { ...waitingOf(operation), columnIds: others.map(String) },
		},
		random.pick(HANDLINGS),
		documentIds.map((id) => ({ id })),
	);
	claimExtractions(operation, documentIds, outcome);
	if (round.waitsByResultsAlone && outcome.done.length > 0) {
		operation.note('incomplete', ['old results were taken for new ones', outcome.done[0].json]);
	}
};

/** One deed for each input item, which came in the order of these documents. */
function claimExtractions(operation: Operation, ids: string[], outcome: Outcome) {
	const { done, failed } = outcome;
	for (const [index, id] of ids.entries()) {
		const own = done.filter(({ json }) => json.documentId === id);
		const errors = failed.filter(({ pairedItem }) => itemOf(pairedItem) === index);
		if (own.length + errors.length > 1) operation.note('doubled', `${id} is in the outputs twice`);
		operation.claim(deeds.extract(id), claimOf(outcome, own[0], errors[0], id), errors[0]?.json);
	}
}

/** n8n asks for the URL, somebody else puts the file, n8n confirms. */
const urlAndConfirm: Scenario = async (operation) => {
	const { random } = operation;
	const name = `${random.between(0, 2 ** 31)}-${random.between(0, 2 ** 31)}.txt`;
	const content = 'Supplier: somebody else';
	const created = await operation.run(
		{
			resource: 'document',
			operation: 'createUploadUrl',
			fileName: name,
			contentType: 'text/plain',
			fileSize: content.length,
		},
		random.pick(HANDLINGS),
	);
	const [item] = created.done;
	const [failure] = created.failed;
	operation.claim(deeds.uploadUrl(name), claimOf(created, item, failure), failure?.json);
	if (!item) return;
	const id = String(item.json.documentId);
	operation.claimDocument(id, name);
	if (!(await put(String(item.json.uploadUrl), content))) return;

	const confirmed = await operation.run(
		{ resource: 'document', operation: 'confirmUpload', documentIds: id },
		random.pick(HANDLINGS),
	);
	const [failed] = confirmed.failed;
	const claim = claimOf(confirmed, confirmed.done[0], failed);
	operation.claim(deeds.confirm(id), claim, failed?.json);
	operation.claim(deeds.upload(name, sha256(content)), claim, failed?.json);
};

/** In ms: the storage stalls for it as well, and the browser that this stands for gives up. */
const PATIENCE_MS = 60_000;

/** As a browser does, without n8n. */
async function put(url: string, body: string): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const patience = new Promise<false>((giveUp) => {
		timer = setTimeout(() => giveUp(false), PATIENCE_MS);
	});
	const headers = { 'content-type': 'text/plain' };
	const sent = exchange(url, { method: 'PUT', body, headers }).then(
		({ status }) => status >= 200 && status < 300,
		() => false,
	);
	const isDone = await Promise.race([sent, patience]);
	clearTimeout(timer);
	return isDone;
}

const MERGED_URL = { atlas: '', borealis: 'href', cobalt: 'payload.download.url' };

const merge: Scenario = async (operation) => {
	const { round, random } = operation;
	const collection = random.pick(round.main.collections);
	const outcome = await operation.run(
		{
			resource: 'collection',
			operation: 'merge',
			collection: { mode: 'id', value: collection.id },
			options: { downloadUrlField: MERGED_URL[round.service.account.profile] },
		},
		random.pick(HANDLINGS),
	);
	const [item] = outcome.done;
	const [failed] = outcome.failed;
	const claim = claimOf(outcome, item, failed);
	operation.claim(deeds.merge(collection.id), claim, failed?.json);
	if (!item) return;
	if (!item.binary?.data) return operation.note('lost', ['no PDF', item.json]);
	const { merges } = await round.service.control.ledger();
	const pdf = await readBinary(item, 'data');
	if (!merges.some((merged) => merged.sha256 === sha256(pdf))) {
		operation.note('lost', `the merged PDF: what arrived has ${pdf.length} bytes`);
	}
};

const listResults: Scenario = async (operation) => {
	const { round, random } = operation;
	const isSimple = random.pick([true, false]);
	const { done, failed, isCanceled, hints } = await operation.run(
		{
			resource: 'extraction',
			operation: 'getAll',
			returnAll: true,
			simple: isSimple,
			options: { workflowId: round.second.id },
		},
		random.pick(HANDLINGS),
	);
	// A list that never settles is told of; then rows may be missing.
	const isExcused = round.options.rowsMove && hints.length > 0;
	if (failed.length > 0 || isCanceled || isExcused) return;
	const items = done.map(({ json }) => json);
	if (isSimple) return round.compareValues(round.values, items, operation.number);
	const given = items.map((json) => JSON.stringify(json));
	round.compareRows('the list of results', round.rows, given, operation.number);
};

const listDocuments: Scenario = async (operation) => {
	const { round, random } = operation;
	const { done, failed, isCanceled, hints } = await operation.run(
		{
			resource: 'document',
			operation: 'getAll',
			returnAll: true,
			options: { workflowId: round.second.id },
		},
		random.pick(HANDLINGS),
	);
	const isExcused = round.options.rowsMove && hints.length > 0;
	if (failed.length > 0 || isCanceled || isExcused) return;
	const listed = done.map(({ json }) => JSON.stringify(json)).join('\n');
	const given = round.listed.flatMap((id) =>
		Array<string>(listed.split(`"${id}"`).length - 1).fill(id),
	);
	round.compareRows('the list of documents', round.listed, given, operation.number);
};

/** What cannot be read page by page must not pass for the whole list. */
const unreadableDocuments: Scenario = async (operation) => {
	const list = operation.random.pick(unreadableLists);
	const { done } = await getOddList(operation, 'document', list.workflowId);
	if (done.length > 0) operation.note('doubled', `${list.workflowId}: ${done.length} documents`);
};

/** The first rows of a longer list, in a form that the node cannot follow, come with a word. */
const listsOfAnotherShape: Scenario = async (operation) => {
	const list = operation.random.pick(listsInAnotherShape);
	const { done, hints } = await getOddList(operation, 'document', list.workflowId);
	const isSaid = hints.some((hint) => hint.startsWith('The response has more than'));
	if (done.length > 0 && !isSaid) operation.note('lost', `${list.workflowId}: without a word`);
};

/** A result without values fails alone. */
const oddResults: Scenario = async (operation) => {
	const { round } = operation;
	const { done, failed } = await getOddList(operation, 'extraction', ODD_RESULTS);
	const isOdd = (item: INodeExecutionData) => String(item.json.error).includes("'Values Field'");
	if (failed.length === 0 || !failed.every(isOdd)) return;
	const given = [
		...done.map(({ json }) => String(json.documentId)),
		...failed.flatMap(({ json }) => /Document ID: (\S+)\./.exec(String(json.message))?.[1] ?? []),
	];
	round.compareRows('results, one of them without values', round.odd, given, operation.number);
};

async function getOddList(operation: Operation, resource: string, workflowId: string) {
	const parameters = { resource, operation: 'getAll', returnAll: true, options: { workflowId } };
	return await operation.run(parameters, operation.random.pick(HANDLINGS));
}

/** A Workflow Endpoint that works on documents must never be called in order to read. */
const writingWorkflowEndpoint: Scenario = async (operation) => {
	const { random, round } = operation;
	const [{ id }] = round.main.collections;
	const path = random.pick(['extract', `collections/${encodeURIComponent(id)}/merged-document`]);
	await operation.run({ resource: 'workflow', operation: 'get' }, random.pick(HANDLINGS), [{}], {
		workflowEndpoint: `POST /workflows/{workflow_id}/${path}`,
	});
};

const getWorkflow: Scenario = async (operation) => {
	const { random } = operation;
	const parameters = { resource: 'workflow', operation: 'get' };
	await operation.run(parameters, random.pick(HANDLINGS));
};

const waitUntilExtracted: Scenario = async (operation) => {
	const { round, random } = operation;
	const options = { ...waitingOf(operation), workflowId: round.second.id };
	const parameters = { resource: 'workflow', operation: 'waitUntilExtracted', options };
	await operation.run(parameters, random.pick(HANDLINGS));
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
	const [, before = ''] = /Started before: (.*)/.exec(message) ?? [];
	const isStarted = started !== undefined && before.includes(started);
	const isOver = /[Tt]he extraction (was started|continues)|The collection was merged/.test(
		message,
	);
	if (isStarted || isOver) {
		return 'done';
	}
	return message.includes('The outcome is unknown') ? 'perhaps' : 'not done';
}

/** What fails, and should: it has no place where everybody has to succeed. */
const oddOperations: Scenario[] = [
	listsOfAnotherShape,
	unreadableDocuments,
	oddResults,
	extractUnapproved,
	writingWorkflowEndpoint,
];

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
	listDocuments,
	getWorkflow,
	waitUntilExtracted,
];

/** Where uploads are slow, one in so many uploads; the others come meanwhile, and should not notice. */
const UPLOADS_ONE_IN = 3;
const LATEST_MS = 60_000;

const later =
	(scenario: Scenario): Scenario =>
	async (operation) => {
		await sleep(operation.random.between(0, LATEST_MS));
		await scenario(operation);
	};

/** What an operation of a round may be. */
export function scenariosOf({ options: { fair } }: Round, number: number): Scenario[] {
	if (!fair) return [...allOperations, ...oddOperations];
	if (!hasSlowUploads(fair)) return allOperations;
	// Not Extract From Files: so many documents are waited for with thousands of looks, which fewer show as well.
	if (number % UPLOADS_ONE_IN === 0) return [upload];
	const reads = [listResults, listDocuments, getWorkflow];
	return (fair === 'merge refused' ? [merge, ...reads] : reads).map(later);
}
