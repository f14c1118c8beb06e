import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { BinaryMode } from '../../test/support/binary.ts';
import type { Round, SoakFile } from './round.ts';

type SoakOperation = (round: Round) => Promise<void>;

const MODES: BinaryMode[] = ['memory', 'filesystem'];
const METHODS = ['direct', 'signed', 'automatic'];

const waiting = { maxWait: 120, settleTime: 10 };

function takeDocuments(round: Round, count: number): string[] {
	return round.documents.splice(0, count);
}

/** Runs an operation that takes files, and gives back what became of each. */
async function runWithFiles(round: Round, parameters: INodeParameters) {
	const mode = round.random.pick(MODES);
	const { items, files } = await round.fileItems(mode);
	const { output, errorOutput } = await round.run(
		{ binaryPropertyName: '*', uploadMethod: round.random.pick(METHODS), ...parameters },
		items,
		mode,
	);
	await round.checkFiles(errorOutput, files);
	return files.map((file) => ({
		file,
		done: output.filter(({ json }) => (json.file as { name: string }).name === file.name),
		failed: errorOutput.filter(({ binary }) => binary?.[file.field]?.fileName === file.name),
	}));
}

function claimUpload(
	round: Round,
	{ name }: SoakFile,
	done: INodeExecutionData[],
	failed: INodeExecutionData[],
) {
	const outcomes = (done.length > 0 ? 1 : 0) + failed.length;
	if (outcomes === 0) round.note('lost', `${name} is in no output`);
	if (outcomes > 1) round.note('doubled', `${name} is in the outputs ${outcomes} times`);
	round.claim(`upload ${name}`, done[0], failed[0]);
}

const upload: SoakOperation = async (round) => {
	const parameters = { resource: 'document', operation: 'upload', options: { signedFromMb: 0.04 } };
	for (const { file, done, failed } of await runWithFiles(round, parameters)) {
		claimUpload(round, file, done, failed);
		if (done.length > 1) round.note('doubled', `${file.name} has ${done.length} items`);
	}
};

const extractFromFiles: SoakOperation = async (round) => {
	const parameters = { resource: 'extraction', operation: 'extractFromFiles', options: waiting };
	for (const { file, done, failed } of await runWithFiles(round, parameters)) {
		claimUpload(round, file, done, failed);
		const { json } = done[0] ?? failed[0] ?? { json: {} };
		const documentId = json.documentId ?? /Document ID: (\S+)\./.exec(String(json.message))?.[1];
		if (documentId) round.claim(`extract ${String(documentId)}`, done[0], failed[0]);
		const rows = done.map((item) => JSON.stringify(item.json.extraction));
		if (done.length > 0 && !rows.some((row) => row.includes(file.value))) {
			round.note('lost', `the results of ${file.name} are ${rows.join()}`);
		}
		const repeated = rows.length - new Set(rows).size;
		if (repeated > 0) round.note('doubled', `results of ${file.name}`, repeated);
	}
};

const FORCE = { atlas: { force: true }, borealis: { overwrite: true }, cobalt: { again: true } };

const extractOne: SoakOperation = async (round) => {
	const documents = takeDocuments(round, 2);
	const { output, errorOutput } = await round.run(
		{
			resource: 'extraction',
			operation: 'extractOne',
			documentId: '={{ $json.id }}',
			options: { body: JSON.stringify(FORCE[round.service.account.profile]) },
		},
		documents.map((id) => ({ json: { id } })),
	);
	claimEach(round, documents, output, errorOutput);
};

const extractDocuments: SoakOperation = async (round) => {
	const documents = takeDocuments(round, 3);
	const { output, errorOutput } = await round.run(
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: '={{ $json.id }}',
			calls: round.random.pick(['once', 'perItem']),
			force: true,
			wait: round.random.pick([true, false]),
			options: waiting,
		},
		documents.map((id) => ({ json: { id } })),
	);
	claimEach(round, documents, output, errorOutput);
};

/** One deed for each input item, which came in the order of these documents. */
function claimEach(
	round: Round,
	documents: string[],
	output: INodeExecutionData[],
	failed: INodeExecutionData[],
) {
	for (const [index, id] of documents.entries()) {
		const done = output.filter(({ json }) => json.documentId === id);
		const errors = failed.filter(({ pairedItem }) => itemOf(pairedItem) === index);
		if (done.length + errors.length === 0) round.note('lost', `${id} is in no output`);
		if (done.length + errors.length > 1) round.note('doubled', `${id} is in the outputs twice`);
		round.claim(`extract ${id}`, done[0], errors[0]);
	}
}

function itemOf(pairedItem: INodeExecutionData['pairedItem']): number | undefined {
	return typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : undefined;
}

/** n8n asks for the URL, somebody else puts the file, n8n confirms. */
const urlAndConfirm: SoakOperation = async (round) => {
	const name = `${round.random.between(0, 2 ** 31)}-${Date.now()}.txt`;
	const content = 'Supplier: somebody else';
	const created = await round.run(
		{
			resource: 'document',
			operation: 'createUploadUrl',
			fileName: name,
			contentType: 'text/plain',
			fileSize: content.length,
		},
		[{ json: {} }],
	);
	const [item] = created.output;
	round.claim(`upload URL for ${name}`, item, created.errorOutput[0]);
	if (!item || !(await put(String(item.json.uploadUrl), content))) return;

	const id = String(item.json.documentId);
	const confirmed = await round.run(
		{ resource: 'document', operation: 'confirmUpload', documentIds: id },
		[{ json: {} }],
	);
	round.claim(`confirm ${id}`, confirmed.output[0], confirmed.errorOutput[0]);
};

async function put(url: string, body: string): Promise<boolean> {
	try {
		const headers = { 'content-type': 'text/plain' };
		return (await fetch(url, { method: 'PUT', body, headers, redirect: 'manual' })).ok;
	} catch {
		// The storage has faults for everybody; the browser that this stands for would give up.
		return false;
	}
}

const MERGED_URL = { atlas: '', borealis: 'href', cobalt: 'payload.download.url' };

const merge: SoakOperation = async (round) => {
	const collection = round.random.pick(round.main.collections);
	const { output, errorOutput } = await round.run(
		{
			resource: 'collection',
			operation: 'merge',
			collection: { mode: 'id', value: collection.id },
			options: { downloadUrlField: MERGED_URL[round.service.account.profile] },
		},
		[{ json: {} }],
	);
	const [done] = output;
	if (done && !done.binary?.data) round.note('lost', `no PDF: ${JSON.stringify(done.json)}`);
	const [failed] = errorOutput;
	const isMerged = String(failed?.json.message).includes('The collection is merged');
	round.claim(`merge ${collection.id}`, isMerged ? failed : done, failed);
};

const listResults: SoakOperation = async (round) => {
	const { output, hints } = await round.run(
		{
			resource: 'extraction',
			operation: 'getAll',
			returnAll: true,
			options: { workflowId: round.second.id },
		},
		[{ json: {} }],
	);
	// A list that never settles is told of; then rows may be missing.
	if (output.length === 0 || hints.length > 0) return;
	const counts = new Map<string, number>();
	for (const { json } of output) {
		const row = JSON.stringify(json);
		counts.set(row, (counts.get(row) ?? 0) + 1);
	}
	const missing = round.rows.filter((row) => !counts.has(row)).length;
	const repeated = round.rows.filter((row) => (counts.get(row) ?? 0) > 1).length;
	if (missing > 0) round.note('lost', `${missing} rows of ${round.rows.length}`, missing);
	if (repeated > 0) round.note('doubled', `${repeated} rows`, repeated);
};

const listDocuments: SoakOperation = async (round) => {
	await round.run(
		{
			resource: 'document',
			operation: 'getAll',
			returnAll: true,
			options: { workflowId: round.second.id },
		},
		[{ json: {} }],
	);
};

const getWorkflow: SoakOperation = async (round) => {
	await round.run({ resource: 'workflow', operation: 'get' }, [{ json: {} }]);
};

const waitUntilExtracted: SoakOperation = async (round) => {
	const parameters = {
		resource: 'workflow',
		operation: 'waitUntilExtracted',
		options: { ...waiting, workflowId: round.second.id },
	};
	await round.run(parameters, [{ json: {} }]);
};

/** Every operation of the node; what the flows of most users do comes more often. */
export const soakOperations: SoakOperation[] = [
	extractFromFiles,
	extractFromFiles,
	upload,
	upload,
	upload,
	extractOne,
	extractDocuments,
	urlAndConfirm,
	merge,
	listResults,
	listResults,
	listDocuments,
	getWorkflow,
	waitUntilExtracted,
];
