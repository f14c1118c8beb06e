import type { FastifyInstance } from 'fastify';
import type { Account } from './account.ts';
import { faultParameters, type FaultRule, type Faults } from './faults.ts';
import { operations } from './operations.ts';
import type { Profile } from './profiles/profile.ts';
import type { RequestLog } from './requestLog.ts';
import type { Seed, Seeder } from './seeder.ts';
import { defaultSettings, type Settings } from './settings.ts';
import type { Store } from './store.ts';

interface ControlParts {
	profile: Profile;
	account: Account;
	store: Store;
	seeder: Seeder;
	faults: Faults;
	log: RequestLog;
	changeSettings(change: Partial<Settings>): Settings;
	/** Everything as it was at the start. */
	reset(): Promise<void>;
	/** All that are open, as where a proxy before it restarts. */
	cutConnections(): void;
	addresses(): { url: string; storageUrl: string };
}

/** IDs of a workflow, the test environment's main one if left out, and of a collection in it. */
export type SeedBody = Omit<Seed, 'collection' | 'documents' | 'first'> & {
	workflow?: string;
	documents?: number;
	collection?: string;
};

/** A name that is misspelt would change nothing, and nobody would notice. Values are what callers' types say. */
const object = (names: string[], properties: Record<string, unknown> = {}) => ({
	type: 'object',
	additionalProperties: false,
	properties: { ...Object.fromEntries(names.map((name) => [name, true])), ...properties },
});

const seedNames = [
	'workflow',
	'documents',
	'extractionsPerDocument',
	'collection',
	'prefix',
	'columns',
];
const matchNames = ['method', 'path', 'probability', 'skip', 'times'];

const faultSchemas = Object.entries(faultParameters).map(([type, required]) => ({
	properties: { type: { const: type } },
	required,
}));

const faultsSchema = {
	type: 'array',
	items: {
		...object([], {
			match: object(matchNames, { operation: { enum: operations } }),
			fault: { type: 'object', required: ['type'], oneOf: faultSchemas },
		}),
		required: ['fault'],
	},
};

/** For tests and demonstrations: what no client of the service can see or do. */
export function controlRoutes(app: FastifyInstance, parts: ControlParts) {
	const { profile, account, store, seeder, faults, log } = parts;

	app.get('/account', () => ({
		...parts.addresses(),
		profile: profile.name,
		openApiUrl: parts.addresses().url + profile.reference.path,
		apiDetails: profile.apiDetails,
		environments: { test: describeEnvironment('test'), live: describeEnvironment('live') },
	}));

	app.get<{ Querystring: { workflow: string } }>('/values', ({ query }) =>
		store
			.workflow(query.workflow)
			.rows.map(({ document, values }) => ({ documentId: document.id, values })),
	);

	app.post('/reset', async () => {
		await parts.reset();
		return {};
	});

	app.post('/cut', (_request, reply) => {
		// The connection of this request is one of them, and is not used again.
		reply.header('connection', 'close');
		reply.raw.once('finish', parts.cutConnections);
		return {};
	});

	app.post<{ Body: Partial<Settings> }>(
		'/settings',
		{ schema: { body: object(Object.keys(defaultSettings)) } },
		(request) => parts.changeSettings(request.body),
	);

	app.post<{ Body: SeedBody | null }>(
		'/seed',
		{ schema: { body: { ...object(seedNames), type: ['object', 'null'] } } },
		async (request) => {
			const { workflow: id, documents = 1, collection, ...seed } = request.body ?? {};
			const workflow = store.workflow(id ?? account.test.workflows.main.id);
			const seeded = await seeder.seed(workflow, {
				...seed,
				documents,
				collection: store.collection(workflow, { id: collection }),
			});
			return { documentIds: seeded.map((document) => document.id) };
		},
	);

	app.post<{ Body: { workflow?: string; forMs: number } }>(
		'/busy',
		{ schema: { body: { ...object(['workflow', 'forMs']), required: ['forMs'] } } },
		async (request) => {
			const { workflow: id, forMs } = request.body;
			const workflow = store.workflow(id ?? account.test.workflows.main.id);
			workflow.busyUntil = Date.now() + forMs;
			return { busyUntil: new Date(workflow.busyUntil).toISOString() };
		},
	);

	app.post<{ Body: FaultRule[] }>('/faults', { schema: { body: faultsSchema } }, (request) => {
		faults.add(request.body);
		return {};
	});

	app.get('/faults', () => faults.list());

	app.delete('/faults', () => {
		faults.clear();
		return {};
	});

	app.post<{ Body: { seed: number } }>(
		'/faults/seed',
		{ schema: { body: { ...object(['seed']), required: ['seed'] } } },
		(request) => {
			faults.setSeed(request.body.seed);
			return {};
		},
	);

	app.get('/ledger', () => store.ledger);

	app.get<{ Querystring: { operation?: string } }>('/requests', (request) =>
		log.list(request.query.operation),
	);

	app.delete('/requests', () => {
		log.clear();
		return {};
	});

	function describeEnvironment(name: keyof Account) {
		const { keys, workflows } = account[name];
		return {
			keys: Object.fromEntries(Object.entries(keys).map(([key, { secret }]) => [key, secret])),
			workflows,
		};
	}
}
