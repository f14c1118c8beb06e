import type { INodeExecutionData, ITaskData } from 'n8n-workflow';
import { extractionNodeName } from '../n8n/workflow.ts';
import type { Ledger } from '../service/ledger.ts';
import { Claims } from '../simulate/claims.ts';
import { note, noFigures, type Figures } from '../simulate/figures.ts';
import { type Claim, deeds } from '../simulate/model.ts';
import { wordOfFailedItem, wordOfStoppedRun } from '../simulate/words.ts';
import type { RecordedExecution } from './executions.ts';
import type { Message, TextFile } from './sending.ts';

/** Where a file that went in is found in the end. */
export const places = {
	delivered: 'delivered',
	failed: 'failed, the node says why',
	unknown: 'failed, the node says that the outcome is unknown',
	crashed: 'in an execution that n8n shows as failed, crashed or canceled',
	hanging: 'in an execution that does not end',
	refused: 'not taken by n8n, the sender knows or must ask',
	forgotten: 'taken by n8n, and in no execution',
} as const;

export type Place = keyof typeof places;

export interface Account {
	files: number;
	counts: Record<Place, number>;
	/** Of the files of crashed executions: those that the service has. */
	crashedUploaded: number;
	/** Executions that n8n gave to a worker more than once. */
	startedAgain: number;
	figures: Figures;
}

export interface Evidence {
	messages: Message[];
	executions: RecordedExecution[];
	ledger: Ledger;
	/** IDs of executions, one for each time that a worker began with one. */
	starts: string[];
}

/** What is said of a file, to be held against what the service really did with it. */
interface Said {
	place: Place;
	upload: Claim;
	extraction: Claim;
	/** By n8n or the node, for the report. */
	said: string;
	/** The document that the node names; without it, all that the service has of the file. */
	documentId?: string;
}

const ended = ['success', 'error', 'crashed', 'canceled'];

const outputOf = (run: ITaskData, index: number) => run.data?.main[index] ?? [];

const carries =
	({ name }: TextFile) =>
	({ binary = {} }: INodeExecutionData) =>
		Object.values(binary).some(({ fileName }) => fileName === name);

/** Nobody knows what became of the file. */
const inDoubt = (place: Place, said: string): Said => ({
	place,
	upload: 'perhaps',
	extraction: 'perhaps',
	said,
});

function failed(said: string, word: ReturnType<typeof wordOfFailedItem>): Said {
	const place = word.claim === 'perhaps' ? 'unknown' : 'failed';
	return { place, upload: word.claim, extraction: 'perhaps', said, documentId: word.documentId };
}

function checkReason(texts: unknown[], figures: Figures) {
	const isExplained = texts.every((text) => typeof text === 'string' && text.length > 10);
	if (!isExplained) note(figures, { wrong: 'unexplained', what: JSON.stringify(texts) });
}

/** What n8n shows, and the node says, of a file in an execution. */
function saidIn({ id, status, data }: RecordedExecution, file: TextFile, figures: Figures): Said {
	if (!ended.includes(status)) return inDoubt('hanging', `execution ${id} is ${status}`);
	// Where n8n kept it: an execution that died shows none.
	const run = data?.resultData.runData[extractionNodeName]?.at(-1);
	if (!run || !(run.data || run.error) || status === 'canceled') {
		return inDoubt('crashed', `n8n shows execution ${id} as ${status}`);
	}
	if (run.error) {
		const { message, description } = run.error;
		checkReason([message], figures);
		// The editor shows a description's paragraphs apart.
		const said = `${message} ${description ?? ''}`.replaceAll('<br>\n<br>\n', ' ');
		return failed(said, wordOfStoppedRun(said, { name: file.name, itemIndex: 0 }));
	}
	const done = outputOf(run, 0).filter(({ json }) => json.fileName === file.name);
	const notDone = outputOf(run, 1).filter(carries(file));
	const where = `${file.name} in execution ${id}`;
	if (done.length + notDone.length === 0) note(figures, { wrong: 'lost', what: where });
	if (done.length > 0 && notDone.length > 0) {
		note(figures, { wrong: 'doubled', what: `${where} is in both outputs` });
	}
	if (done.length === 0) {
		const { error, message } = notDone[0]?.json ?? {};
		checkReason([error, message], figures);
		return failed(String(message), wordOfFailedItem(String(message), file.isSigned));
	}
	if (!JSON.stringify(done.map(({ json }) => json)).includes(file.value)) {
		note(figures, { wrong: 'lost', what: `values of ${where}: ${JSON.stringify(done[0].json)}` });
	}
	const documentId = String(done[0].json.documentId);
	return { place: 'delivered', upload: 'done', extraction: 'done', said: 'delivered', documentId };
}

/** Accounts for every file that was sent: holds what is said of it against the service's ledger. */
export function accountFor({ messages, executions, ledger, starts }: Evidence): Account {
	const figures = noFigures();
	const claims = new Claims();
	const uploadsOf = (file: TextFile) =>
		ledger.uploads.filter(({ sha256 }) => sha256 === file.sha256);

	const claim = (file: TextFile, { upload, extraction, said, documentId }: Said) => {
		claims.add(deeds.upload(file.name, file.sha256), upload, said);
		if (documentId) claims.addDocument(documentId, file.name);
		for (const { documentId: id, method } of uploadsOf(file)) {
			if (documentId && id !== documentId) continue;
			// An upload that is done is confirmed, too.
			const confirmation = upload === 'done' ? 'done' : 'perhaps';
			if (method === 'signed') claims.add(deeds.confirm(id), confirmation, said);
			claims.add(deeds.extract(id), extraction, said);
		}
	};

	const executionOf = new Map(
		executions.flatMap((execution) => execution.fileNames.map((name) => [name, execution])),
	);
	const startsOf = (id: string) => starts.filter((started) => started === id).length;
	const none = Object.fromEntries(Object.keys(places).map((place) => [place, 0]));
	const account: Account = {
		files: 0,
		counts: none as Account['counts'],
		crashedUploaded: 0,
		startedAgain: executions.filter(({ id }) => startsOf(id) > 1).length,
		figures,
	};
	const files = messages.flatMap((message) => message.files.map((file) => ({ file, ...message })));
	for (const { file, isTaken } of files) {
		account.files++;
		const execution = executionOf.get(file.name);
		if (!execution) {
			account.counts[isTaken ? 'forgotten' : 'refused']++;
			continue;
		}
		const said = saidIn(execution, file, figures);
		account.counts[said.place]++;
		claim(file, said);
		// What n8n runs a second time, the node cannot know of.
		for (let start = 1; start < startsOf(execution.id); start++) {
			claim(file, inDoubt('crashed', 'n8n ran it again'));
		}
		if (said.place === 'crashed' && uploadsOf(file).length > 0) account.crashedUploaded++;
	}
	claims.compare(ledger, figures);
	return account;
}
