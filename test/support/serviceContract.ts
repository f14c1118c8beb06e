/** What the control plane of the simulated service says and takes; see dev/service/README.md. */

export type Profile = 'atlas' | 'borealis' | 'cobalt';

export type Operation =
	| 'getWorkflow'
	| 'upload'
	| 'createUploadUrl'
	| 'putFile'
	| 'confirm'
	| 'getExtractions'
	| 'extractBulk'
	| 'extractOne'
	| 'getDocuments'
	| 'merge'
	| 'downloadMerged';

/** How the service is started. */
export interface ServiceFlags {
	profile?: Profile;
	port?: number;
	storagePort?: number;
	latency?: number;
	rate?: number;
	rateWindow?: number;
	maxInFlight?: number;
	extractionMs?: number;
	startMs?: number;
	dataDir?: string;
	discardFiles?: boolean;
	tls?: boolean;
}

export interface Column {
	id: string | number;
	name: string;
	prompt: string;
	type: 'text' | 'number' | 'date' | 'table';
}

export interface Named {
	id: string;
	name: string;
}

export interface ServiceWorkflow extends Named {
	columns: Column[];
	collections: Named[];
	stages: Named[];
}

export interface Environment {
	keys: Record<'full' | 'readOnly' | 'noUpload' | 'noExtract' | 'revoked', string>;
	workflows: Record<'main' | 'second', ServiceWorkflow>;
}

export interface Account {
	url: string;
	storageUrl: string;
	profile: Profile;
	/** By the name of the credential's field. */
	apiDetails: Record<string, string>;
	environments: Record<'test' | 'live', Environment>;
}

/** What can be changed while the service runs. */
export interface Settings {
	latencyMs: number;
	rate: {
		limit: number;
		windowMs?: number;
		retryAfter?: 'seconds' | 'date' | 'none';
	} | null;
	maxInFlight: number | null;
	extractionMs: number;
	startMs: number;
	uploadUrlLifetimeMs: number;
}

export interface Seed {
	workflow?: string;
	documents?: number;
	extractionsPerDocument?: number;
	collection?: string;
	prefix?: string;
}

export type Fault =
	| {
			type: 'status' | 'statusAfter';
			status: number;
			body?: unknown;
			contentType?: string;
			headers?: Record<string, string>;
	  }
	| { type: 'html'; status: number; title: string }
	| { type: 'redirect'; status: number; location: string }
	| { type: 'delay'; ms: number }
	| { type: 'huge'; bytes: number }
	| { type: 'shiftRows'; insert?: number; delete?: number }
	| { type: 'wrongPages'; pages: number }
	| {
			type:
				| 'charset'
				| 'cutAfter'
				| 'cutBefore'
				| 'cutMidBody'
				| 'empty'
				| 'expireUploadUrls'
				| 'truncate';
	  };

export interface FaultRule {
	match: {
		operation?: Operation;
		method?: string;
		/** A regular expression. */
		path?: string;
		probability?: number;
		skip?: number;
		times?: number;
	};
	fault: Fault;
}

/** What the service really did, whatever the client was told. */
export interface Ledger {
	uploads: Array<{
		documentId: string;
		workflowId: string;
		environment: 'test' | 'live';
		method: 'direct' | 'signed';
		fileName: string;
		contentType: string;
		size: number;
		sha256: string;
		collectionId: string | null;
		collectionName: string | null;
		confirmed: boolean;
		at: string;
	}>;
	uploadUrls: unknown[];
	confirmations: Array<{ documentIds: string[]; at: string }>;
	extractions: Array<{
		kind: 'bulk' | 'single';
		/** Those that were really extracted. */
		documentIds: string[];
		requested: unknown;
		at: string;
	}>;
	merges: Array<{ collectionId: string; labelOrder: unknown; pages: number; at: string }>;
}

export interface FormPart {
	name: string;
	fileName?: string;
	contentType?: string;
	size?: number;
	sha256?: string;
	value?: string;
}

export interface LoggedRequest {
	operation: Operation;
	server: 'api' | 'storage';
	method: string;
	path: string;
	query: Record<string, string>;
	headers: Record<string, string>;
	/** Parsed JSON, the parts of a form, or null. */
	body: unknown;
	status: number;
	at: string;
}
