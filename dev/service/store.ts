import { randomUUID } from 'node:crypto';
import { DetailError } from './answers.ts';
import type { Account } from './account.ts';
import { Ledger, uploadOf } from './ledger.ts';
import type {
	Collection,
	Environment,
	MergedDocument,
	StoredDocument,
	StoredFile,
	ResultRow,
	Workflow,
	WorkflowPlan,
} from './model.ts';
import type { Profile } from './profiles/profile.ts';

/** Everything that clients put into the service, in memory. */
export class Store {
	ledger = new Ledger();
	private workflows = new Map<string, Workflow>();
	/** What the storage keeps, by the name of the object. */
	objects = new Map<string, StoredDocument>();
	merged = new Map<string, MergedDocument>();

	constructor(
		private readonly profile: Profile,
		private readonly account: Account,
		/** The address under which the storage serves a document's file. */
		readonly fileUrl: (document: StoredDocument) => string,
	) {
		this.reset();
	}

	reset() {
		this.ledger = new Ledger();
		this.objects = new Map();
		this.merged = new Map();
		const plans = Object.values(this.account).flatMap(({ workflows }) => Object.values(workflows));
		this.workflows = new Map(plans.map((plan) => [plan.id, openWorkflow(plan)]));
	}

	/** A workflow of the other environment is not found, as if it did not exist. */
	workflow(id: string, environment?: Environment): Workflow {
		const workflow = this.workflows.get(id);
		if (!workflow || (environment && workflow.environment !== environment)) {
			throw new DetailError(404, 'Workflow not found');
		}
		return workflow;
	}

	document(workflow: Workflow, id: string): StoredDocument {
		const document = workflow.documents.get(id);
		if (!document) throw new DetailError(404, `Document not found: ${id}`);
		return document;
	}

	/** By ID it must exist; by name it is made where it does not. */
	collection(
		workflow: Workflow,
		{ id, name }: { id?: string | null; name?: string | null },
	): Collection | undefined {
		if (id && name) throw new DetailError(400, 'Use collection_id or collection_name, not both');
		if (id) {
			const collection = workflow.collections.find((candidate) => candidate.id === id);
			if (!collection) throw new DetailError(404, 'Collection not found');
			return collection;
		}
		if (name) {
			const known = workflow.collections.find((candidate) => candidate.name === name);
			if (known) return known;
			const made = { id: this.profile.ids.collection(newDigits()), name };
			workflow.collections.push(made);
			return made;
		}
		return undefined;
	}

	addDocument(
		workflow: Workflow,
		description: Pick<
			StoredDocument,
			'fileName' | 'contentType' | 'collection' | 'file' | 'confirmed'
		>,
	): StoredDocument {
		const document: StoredDocument = {
			...description,
			id: this.profile.ids.document(newDigits()),
			workflow,
			objectKey: newDigits(),
			puts: 0,
			stage: workflow.stages[0],
			state: 'waiting',
			values: new Map(),
			pending: new Set(),
			extractions: 0,
			rows: new Map(),
			createdAt: new Date(),
		};
		workflow.documents.set(document.id, document);
		this.objects.set(document.objectKey, document);
		return document;
	}

	receiveFile(document: StoredDocument, file: StoredFile) {
		document.file = file;
		this.ledger.uploads.push(uploadOf(document, 'signed'));
	}

	keepMerged(description: Omit<MergedDocument, 'key'>): MergedDocument {
		const merged = { ...description, key: newDigits() };
		this.merged.set(merged.key, merged);
		return merged;
	}

	confirm(documents: StoredDocument[]) {
		const ids = documents.map(({ id }) => id);
		for (const document of documents) document.confirmed = true;
		for (const upload of this.ledger.uploads) {
			if (ids.includes(upload.documentId)) upload.confirmed = true;
		}
		this.ledger.confirmations.push({ documentIds: ids });
	}

	/** The results that a document has by its values of this moment, by what tells them apart. */
	resultsOf(document: StoredDocument, fileUrl = this.fileUrl(document)) {
		const { values, workflow, extractions } = document;
		const results = this.profile.results(document, fileUrl).map(({ body, column }) => {
			const columns = workflow.columns.filter(({ id }) => column === undefined || id === column);
			const row: ResultRow = {
				document,
				body,
				values: columns.flatMap(({ id, name }) => {
					const value = values.get(id);
					return value === undefined ? [] : [[name, value]];
				}),
			};
			return [`${this.profile.keepsHistory ? extractions : 0}/${column}`, row] as const;
		});
		return new Map(results);
	}

	/** Puts the results of a document into the list: old ones keep their place. */
	publish(document: StoredDocument) {
		for (const [key, row] of this.resultsOf(document)) {
			const known = document.rows.get(key);
			if (known) {
				Object.assign(known, row);
			} else {
				document.rows.set(key, row);
				document.workflow.rows.push(row);
			}
		}
	}
}

function openWorkflow(plan: WorkflowPlan): Workflow {
	return {
		...plan,
		collections: [...plan.collections],
		documents: new Map(),
		rows: [],
		extracting: 0,
		busyUntil: 0,
	};
}

/** Hexadecimal digits that become the ID of something new. */
function newDigits() {
	return randomUUID().replaceAll('-', '');
}

export function isExtracting({ extracting, busyUntil }: Workflow) {
	return extracting > 0 || Date.now() < busyUntil;
}
