import { fileURLToPath } from 'node:url';

export const n8nVersions = ['newest', 'middle', 'oldest'] as const;
export type N8nVersion = (typeof n8nVersions)[number];

interface Release {
	folder: string;
	minimumNode: number;
	/** Packages whose native code is built; no other package's scripts run. */
	native: string[];
	/** What only this release wants to be told. */
	env: Record<string, string>;
}

const folderOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export const releases: Record<N8nVersion, Release> = {
	newest: {
		folder: folderOf('newest'),
		minimumNode: 24,
		native: ['sqlite3', 'isolated-vm'],
		env: {
			N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,chat-hub,insights',
			N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		},
	},
	middle: {
		folder: folderOf('middle'),
		minimumNode: 20,
		native: ['sqlite3'],
		env: {},
	},
	oldest: {
		folder: folderOf('oldest'),
		minimumNode: 20,
		native: ['sqlite3'],
		env: {
			// The default engine needs isolated-vm, which does not compile on Node 20.
			N8N_EXPRESSION_ENGINE: 'legacy',
			// By default all share one connection to the database, and so each other's transactions.
			DB_SQLITE_POOL_SIZE: '3',
		},
	},
};

export const node24Folder = folderOf('node24');
