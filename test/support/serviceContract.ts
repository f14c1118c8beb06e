import type { KeyName } from '../../dev/service/account';
import type { WorkflowPlan } from '../../dev/service/model';
import type { ApiDetails } from '../../dev/service/profiles/profile';

export type Profile = 'atlas' | 'borealis' | 'cobalt';

export type ServiceWorkflow = WorkflowPlan;

export interface Environment {
	keys: Record<KeyName, string>;
	workflows: Record<'main' | 'second', ServiceWorkflow>;
}

export interface Account {
	url: string;
	storageUrl: string;
	profile: Profile;
	/** Of the OpenAPI document, which needs no key. */
	openApiUrl: string;
	/** By the name of the credential's field. */
	apiDetails: ApiDetails;
	environments: Record<'test' | 'live', Environment>;
}

/** `npm run service -- --help` in dev explains them. */
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
	openApi?: 'full' | 'bare' | 'none';
}

export interface Seed {
	/** Left out: the test environment's main workflow. */
	workflow?: string;
	documents?: number;
	extractionsPerDocument?: number;
	collection?: string;
	prefix?: string;
	/** IDs of the columns that have been extracted; left out: all. */
	columns?: Array<string | number>;
}
