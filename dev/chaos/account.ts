import type { INodeExecutionData, ITaskData } from 'n8n-workflow';
import { extractionNodeName } from '../n8n/workflow.ts';
import { FileClaims } from '../queue/fileClaims.ts';
import type { Ledger } from '../service/ledger.ts';
import { note, type Figures } from '../simulate/figures.ts';
import type { Claim } from '../simulate/model.ts';
import { wordOfFailedItem, wordOfStoppedRun } from '../simulate/words.ts';
import type { RecordedExecution } from './executions.ts';
import type { TextFile } from './files.ts';
import type { Message } from './sender.ts';

/** Where a file that went in is found in the end. */
export const places = {
	delivered: 'delivered',
	failed: 'failed, the node says why',
	unknown: 'failed, the node says that the outcome is unknown',
	crashed: 'in an execution that n8n shows as failed or crashed',
	hanging: 'in an execution that does not end',
	refused: 'not taken by n8n, the sender knows or must ask',
	forgotten: 'taken by n8n, and in no execution',
} as const;

export type Place = keyof typeof places;

export interface Account {
	files: number;
	counts: Record<Place, number>;
	/** Of the files of crashed executions: those that the service has, and those that it extracted. */
	crashedUploaded: number;
	crashedExtracted: number;
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

const ended = ['success', 'error', 'crashed', 'canceled'];

/** What the node made of its input, where n8n kept it: an execution that died shows none. */
function runOf({ data }: RecordedExecution): ITaskData | undefined {
	const run = data?.resultData.runData[extractionNodeName]?.at(-1);
	return run?.data || run?.error ? run : undefined;
}

const outputOf = (run: ITaskData, index: number) => run.data?.main[index] ?? [];

/** Simplified or not. */
const isOf =
	({ name }: TextFile) =>
	({ json }: INodeExecutionData) =>
		json.fileName === name || (json.file as { name?: string } | undefined)?.name === name;

const carries =
	({ name }: TextFile) =>
	({ binary = {} }: INodeExecutionData) =>
		Object.values(binary).some(({ fileName }) => fileName === name);

/** Nobody knows what became of the file. */
const inDoubt = { upload: 'perhaps', extraction: 'perhaps' } as const;

/** Holds what n8n shows, and what the node says, against what the service really did. */
class Accounting {
	private readonly claims: FileClaims;
	private readonly extracted: Set<string>;
	readonly account: Account;

	constructor(ledger: Ledger) {
		this.claims = new FileClaims(ledger);
		this.extracted = new Set(ledger.extractions.flatMap(({ documentIds }) => documentIds));
		this.account = {
			files: 0,
			counts: Object.fromEntries(
				Object.keys(places).map((place) => [place, 0]),
			) as Account['counts'],
			crashedUploaded: 0,
			crashedExtracted: 0,
			startedAgain: 0,
			figures: this.claims.figures,
		};
	}

	close(): Account {
		this.claims.compare();
		return this.account;
	}

	/** @param starts how often a worker began with the execution */
	add(file: TextFile, execution: RecordedExecution | undefined, isTaken: boolean, starts: number) {
		this.account.files++;
		const place = execution
			? this.placeIn(execution, file)
			: isTaken
				? ('forgotten' as const)
				: ('refused' as const);
		this.account.counts[place]++;
		// What n8n runs a second time, the node cannot know of.
		for (let start = 1; start < starts; start++) this.claims.add(file, inDoubt, 'n8n ran it again');
	}

	private placeIn(execution: RecordedExecution, file: TextFile): Place {
		if (!ended.includes(execution.status)) {
			this.claims.add(file, inDoubt, `execution ${execution.id} is ${execution.status}`);
			return 'hanging';
		}
		const run = runOf(execution);
		if (!run) return this.crashed(execution, file);
		return run.error ? this.stopped(run.error, file) : this.continued(execution, run, file);
	}

	private crashed({ id, status }: RecordedExecution, file: TextFile): Place {
		this.claims.add(file, inDoubt, `n8n shows execution ${id} as ${status}`);
		const uploads = this.claims.uploadsOf(file);
		if (uploads.length > 0) this.account.crashedUploaded++;
		if (uploads.some(({ documentId }) => this.extracted.has(documentId))) {
			this.account.crashedExtracted++;
		}
		return 'crashed';
	}

	private stopped(error: NonNullable<ITaskData['error']>, file: TextFile): Place {
		// The editor shows a description's paragraphs apart.
		const said = `${error.message} ${error.description ?? ''}`.replaceAll('<br>\n<br>\n', ' ');
		this.checkReason([error.message]);
		const word = wordOfStoppedRun(said, { name: file.name, itemIndex: 0 });
		return this.failed(file, word.claim, word.documentId, said);
	}

	private continued({ id }: RecordedExecution, run: ITaskData, file: TextFile): Place {
		const { figures } = this.account;
		const done = outputOf(run, 0).filter(isOf(file));
		const failed = outputOf(run, 1).filter(carries(file));
		if (done.length + failed.length === 0) {
			note(figures, { wrong: 'lost', what: `${file.name} is in no output of execution ${id}` });
		}
		if (done.length > 0 && failed.length > 0) {
			note(figures, {
				wrong: 'doubled',
				what: `${file.name} is in both outputs of execution ${id}`,
			});
		}
		if (done.length === 0) {
			const { error, message } = failed[0]?.json ?? {};
			this.checkReason([error, message]);
			const word = wordOfFailedItem(String(message), file.isSigned);
			return this.failed(file, word.claim, word.documentId, String(message));
		}
		const documentId = String(done[0].json.documentId);
		if (!JSON.stringify(done.map(({ json }) => json)).includes(file.value)) {
			note(figures, {
				wrong: 'lost',
				what: `the values of ${file.name}: ${JSON.stringify(done[0].json)}`,
			});
		}
		this.claims.add(file, { upload: 'done', extraction: 'done' }, 'delivered', documentId);
		return 'delivered';
	}

	private failed(
		file: TextFile,
		claim: Claim,
		documentId: string | undefined,
		said: string,
	): Place {
		this.claims.add(file, { upload: claim, extraction: 'perhaps' }, said, documentId);
		return claim === 'perhaps' ? 'unknown' : 'failed';
	}

	private checkReason(texts: unknown[]) {
		const isExplained = texts.every((text) => typeof text === 'string' && text.length > 10);
		if (!isExplained) {
			note(this.account.figures, { wrong: 'unexplained', what: JSON.stringify(texts) });
		}
	}
}

/** Accounts for every file that was sent. */
export function accountFor({ messages, executions, ledger, starts }: Evidence): Account {
	const accounting = new Accounting(ledger);
	const executionOf = new Map(
		executions.flatMap((execution) => execution.fileNames.map((name) => [name, execution])),
	);
	const startsOf = new Map<string, number>();
	for (const id of starts) startsOf.set(id, (startsOf.get(id) ?? 0) + 1);

	for (const { files, isTaken = false } of messages) {
		for (const file of files) {
			const execution = executionOf.get(file.name);
			accounting.add(file, execution, isTaken, startsOf.get(execution?.id ?? '') ?? 0);
		}
	}
	accounting.account.startedAgain = [...startsOf.values()].filter((count) => count > 1).length;
	return accounting.close();
}
