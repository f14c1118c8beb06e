import type { KeyName } from '../../dev/service/account';
import type { Flags } from '../../dev/service/main';
import type { WorkflowPlan } from '../../dev/service/model';
import type { ApiDetails } from '../../dev/service/profiles/profile';

/** The simulated service's guises: they differ in all that the interface leaves open. */
export const PROFILES = ['atlas', 'borealis'] as const;
export type Profile = (typeof PROFILES)[number];

export interface Environment {
	keys: Record<KeyName, string>;
	workflows: Record<'main' | 'second', WorkflowPlan>;
}

export interface Account {
	url: string;
	storageUrl: string;
	profile: Profile;
	/** Of the OpenAPI document, which needs no key. */
	openApiUrl: string;
	/** By the names that the node's code has for them. */
	apiDetails: ApiDetails;
	/** What is true in the body of a single extraction that repeats one. */
	forceField: string;
	/** What users enter in 'Download URL Field'; empty where the merged PDF itself is the answer. */
	downloadUrlField: string;
	environments: Record<'test' | 'live', Environment>;
}

/** `npm run service -- --help` in dev explains them. */
export type ServiceFlags = Partial<Omit<Flags, 'profile' | 'json' | 'exitWithParent'>> & {
	profile?: Profile;
};
