import type { FastifyInstance } from 'fastify';
import type { Account } from './account.ts';
import { faultParameters, type FaultRule, type Faults } from './faults.ts';
import { operations } from './operations.ts';
import type { Profile } from './profiles/profile.ts';
import type { RequestLog } from './requestLog.ts';
import type { Seed, Seeder } from './seeder.ts';
import type { Settings } from './settings.ts';
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

type SeedBody = Omit<Seed, 'collection' | 'documents' | 'first'> & {
	workflow?: string;
	documents?: number;
	collection?: string;
};

const count = { type: 'integer', minimum: 0 };

const settingsSchema = {
	type: 'object',
	additionalProperties: false,
	properties: {
		latencyMs: count,
		rate: {
			type: ['object', 'null'],
			required: ['limit'],
			additionalProperties: false,
			properties: {
				limit: { type: 'integer', minimum: 1 },
				windowMs: { type: 'integer', minimum: 1 },
				retryAfter: { enum: ['seconds', 'date', 'none'] },
			},
		},
		maxInFlight: { type: ['integer', 'null'], minimum: 1 },
		extractionMs: count,
		startMs: count,
		resultShape: { enum: ['whole', 'growing', 'nulls'] },
		resultPauseMs: count,
		resultLagMs: count,
		extractionWorkers: { type: 'integer', minimum: 1 },
		uploadUrlLifetimeMs: count,
		expiredUrlStatus: { enum: [400, 403] },
		uploadUrlUses: { type: 'integer', minimum: 1 },
		openApi: { enum: ['full', 'bare', 'none'] },
		checksPdfs: { type: 'boolean' },
	} satisfies Record<keyof Settings, unknown>,
};

const seedSchema = {
	type: ['object', 'null'],
	additionalProperties: false,
	properties: {
		workflow: { type: 'string' },
		documents: count,
		extractionsPerDocument: { type: 'integer', minimum: 1 },
		collection: { type: 'string' },
		prefix: { type: 'string' },
		columns: { type: 'array', minItems: 1, items: { type: ['string', 'integer'] } },
	},
};

const busySchema = {
	type: 'object',
	required: ['forMs'],
	additionalProperties: false,
	properties: { workflow: { type: 'string' }, forMs: count },
};

const faultSchemas = Object.entries(faultParameters).map(([type, required]) => ({
	properties: { type: { const: type } },
	required,
}));

const faultsSchema = {
	type: 'array',
	items: {
		type: 'object',
		required: ['fault'],
		additionalProperties: false,
		properties: {
			match: {
				type: 'object',
				additionalProperties: false,
				properties: {
					operation: { enum: operations },
					method: { type: 'string' },
					path: { type: 'string' },
					probability: { type: 'number', minimum: 0, maximum: 1 },
					skip: count,
					times: count,
				},
			},
			fault: { type: 'object', required: ['type'], oneOf: faultSchemas },
		},
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
		{ schema: { body: settingsSchema } },
		(request) => parts.changeSettings(request.body),
	);

	app.post<{ Body: SeedBody | null }>(
		'/seed',
		{ schema: { body: seedSchema } },
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
		{ schema: { body: busySchema } },
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
		{
			schema: {
				body: { type: 'object', required: ['seed'], properties: { seed: { type: 'integer' } } },
			},
		},
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
