import type { INodeExecutionData } from 'n8n-workflow';
import { readBinary } from '../../test/support/binary.ts';
import { sha256 } from '../../test/support/files.ts';
import { deeds, type Claim } from './deeds.ts';
import { runOnFiles } from './files.ts';
import type { Randomness } from './randomness.ts';
import { itemOf, type Handling, type Outcome, type Round } from './round.ts';

/** One of the node's operations at work, and what it claims. */
type SoakOperation = (round: Round, random: Randomness) => Promise<void>;

const HANDLINGS: Handling[] = ['continueErrorOutput', 'continueRegularOutput'];

/** In seconds of the node's clock, long enough for a service on a busy machine. */
const waiting = { maxWait: 900, settleTime: 100 };

const upload: SoakOperation = async (round, random) => {
	const outcomes = await runOnFiles(round, random, { resource: 'document', operation: 'upload' });
	for (const { file, done } of outcomes) {
		if (done.length > 1) round.note('doubled', `${file.name} has ${done.length} items`);
	}
};

const extractFromFiles: SoakOperation = async (round, random) => {
	const outcomes = await runOnFiles(round, random, {
		resource: 'extraction',
		operation: 'extractFromFiles',
		simple: false,
		options: waiting,
	});
	for (const { file, done, documentId } of outcomes) {
		if (documentId === undefined) continue;
		round.claim(deeds.extract(documentId), done.length > 0 ? 'done' : 'perhaps', file.name);
		if (done.length === 0) continue;
		const rows = done.map(({ json }) => JSON.stringify(json.extraction));
		round.results.set(documentId, rows);
		if (!rows.join().includes(file.value)) round.note('lost', `${file.name} in ${rows.join()}`);
	}
};

const FORCE = { atlas: { force: true }, borealis: { overwrite: true }, cobalt: { again: true } };

const extractOne: SoakOperation = async (round, random) => {
	const ids = round.documents.splice(0, random.between(1, 6));
	const outcome = await round.run(
		{
			resource: 'extraction',
			operation: 'extractOne',
			documentId: '={{ $json.id }}',
			options: { body: JSON.stringify(FORCE[round.service.account.profile]) },
		},
		random.pick(HANDLINGS),
		ids.map((id) => ({ id })),
	);
	claimExtractions(round, ids, outcome);
};

const extractDocuments: SoakOperation = async (round, random) => {
	const ids = round.documents.splice(0, random.between(1, 6));
	const outcome = await round.run(
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: '={{ $json.id }}',
			calls: random.pick(['once', 'perItem']),
			force: true,
			wait: random.pick([true, false]),
			options: { ...waiting, documentsPerCall: random.pick([2, 1000]) },
		},
		random.pick(HANDLINGS),
		ids.map((id) => ({ id })),
	);
	claimExtractions(round, ids, outcome);
};

/** Documents that have results of one column, and get those of the others. */
const extractNewColumns: SoakOperation = async (round, random) => {
	const [first, ...others] = round.main.columns.map(({ id }) => id);
	const { documentIds } = await round.service.control.seed({ documents: 2, columns: [first] });
	const outcome = await round.run(
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: '={{ $json.id }}',
			wait: true,
			options: { ...waiting, columnIds: others.map(String) },
		},
		random.pick(HANDLINGS),
		documentIds.map((id) => ({ id })),
	);
	claimExtractions(round, documentIds, outcome);
	if (round.waitsByResultsAlone && outcome.done.length > 0) {
		round.note('lost', ['old results were taken for new ones', outcome.done[0].json]);
	}
};

/** One deed for each input item, which came in the order of these documents. */
function claimExtractions(round: Round, ids: string[], { done, failed }: Outcome) {
	for (const [index, id] of ids.entries()) {
		const own = done.filter(({ json }) => json.documentId === id);
		const errors = failed.filter(({ pairedItem }) => itemOf(pairedItem) === index);
		if (own.length + errors.length > 1) round.note('doubled', `${id} is in the outputs twice`);
		round.claim(deeds.extract(id), claimOf(own[0], errors[0], id), errors[0]?.json);
	}
}

/** n8n asks for the URL, somebody else puts the file, n8n confirms. */
const urlAndConfirm: SoakOperation = async (round, random) => {
	const name = `${random.between(0, 2 ** 31)}-${random.between(0, 2 ** 31)}.txt`;
	const content = 'Supplier: somebody else';
	const created = await round.run(
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
	round.claim(deeds.uploadUrl(name), claimOf(item, failure), failure?.json);
	if (!item) return;
	const id = String(item.json.documentId);
	round.claims.addDocument(id, name);
	if (!(await put(String(item.json.uploadUrl), content))) return;

	const { done, failed } = await round.run(
		{ resource: 'document', operation: 'confirmUpload', documentIds: id },
		random.pick(HANDLINGS),
	);
	const claim = claimOf(done[0], failed[0]);
	round.claim(deeds.confirm(id), claim, failed[0]?.json);
	round.claim(deeds.upload(name, sha256(content)), claim, failed[0]?.json);
};

/** Real time in ms, which passes as it is: nothing that this browser sends takes as long, unless it stalls. */
const PATIENCE_MS = 10_000;

/** As a browser does, without n8n. */
async function put(url: string, body: string): Promise<boolean> {
	const patience = new AbortController();
	const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
	try {
		const headers = { 'content-type': 'text/plain' };
		// The storage stalls for it as well.
		const { signal } = patience;
		return (await fetch(url, { method: 'PUT', body, headers, redirect: 'manual', signal })).ok;
	} catch {
		// The storage fails for everybody; the browser that this stands for gives up.
		return false;
	} finally {
		clearTimeout(timer);
	}
}

const MERGED_URL = { atlas: '', borealis: 'href', cobalt: 'payload.download.url' };

const merge: SoakOperation = async (round, random) => {
	const collection = random.pick(round.main.collections);
	const { done, failed } = await round.run(
		{
			resource: 'collection',
			operation: 'merge',
			collection: { mode: 'id', value: collection.id },
			options: { downloadUrlField: MERGED_URL[round.service.account.profile] },
		},
		random.pick(HANDLINGS),
	);
	const [item] = done;
	const claim = claimOf(item, failed[0]);
	round.claim(deeds.merge(collection.id), claim, failed[0]?.json);
	if (!item) return;
	if (!item.binary?.data) return round.note('lost', ['no PDF', item.json]);
	const { merges } = await round.service.control.ledger();
	const pdf = await readBinary(item, 'data');
	if (!merges.some((merged) => merged.sha256 === sha256(pdf))) {
		round.note('lost', `the merged PDF: what arrived has ${pdf.length} bytes`);
	}
};

const listResults: SoakOperation = async (round, random) => {
	const { done, failed, hints } = await round.run(
		{
			resource: 'extraction',
			operation: 'getAll',
			returnAll: true,
			simple: false,
			options: { workflowId: round.second.id },
		},
		random.pick(HANDLINGS),
	);
	// A list that never settles is told of; then rows may be missing.
	const isExcused = round.rowsMove && hints.length > 0;
	if (failed.length > 0 || isExcused) return;
	round.compareRows(
		'the list of results',
		round.rows,
		done.map(({ json }) => JSON.stringify(json)),
	);
};

const listDocuments: SoakOperation = async (round, random) => {
	const { done, failed, hints } = await round.run(
		{
			resource: 'document',
			operation: 'getAll',
			returnAll: true,
			options: { workflowId: round.second.id },
		},
		random.pick(HANDLINGS),
	);
	const isExcused = round.rowsMove && hints.length > 0;
	if (failed.length > 0 || isExcused) return;
	const listed = done.map(({ json }) => JSON.stringify(json)).join('\n');
	const given = round.listed.flatMap((id) =>
		Array<string>(listed.split(`"${id}"`).length - 1).fill(id),
	);
	round.compareRows('the list of documents', round.listed, given);
};

const getWorkflow: SoakOperation = async (round, random) => {
	const parameters = { resource: 'workflow', operation: 'get' };
	await round.run(parameters, random.pick(HANDLINGS));
};

const waitUntilExtracted: SoakOperation = async (round, random) => {
	const options = { ...waiting, workflowId: round.second.id };
	const parameters = { resource: 'workflow', operation: 'waitUntilExtracted', options };
	await round.run(parameters, random.pick(HANDLINGS));
};

/**
 * What the node says of a deed: by an item of its output, else by the one that failed.
 * @param started the document that a later part of the same run may name as started before
 */
function claimOf(
	done: INodeExecutionData | undefined,
	failed: INodeExecutionData | undefined,
	started?: string,
): Claim {
	if (done) return 'done';
	const message = String(failed?.json.message);
	const [, before = ''] = /Started before: (.*)/.exec(message) ?? [];
	const isStarted = started !== undefined && before.includes(started);
	const isOver = /The extraction (was started|itself goes on)|The collection was merged/.test(
		message,
	);
	if (isStarted || isOver) {
		return 'done';
	}
	return message.includes('The outcome is unknown') ? 'perhaps' : 'not done';
}

/** Every operation of the node; what the flows of most users do comes more often. */
export const soakOperations: SoakOperation[] = [
	extractFromFiles,
	extractFromFiles,
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
