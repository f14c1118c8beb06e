import type { FastifyInstance } from 'fastify';
import type { FaultRule } from './faults.ts';
import type { Parts } from './parts.ts';
import type { Seed } from './seeder.ts';
import type { Settings } from './settings.ts';

/** IDs of a workflow, the test environment's main one if left out, and of a collection in it. */
export type SeedBody = Omit<Seed, 'collection' | 'documents' | 'first'> & {
	workflow?: string;
	documents?: number;
	collection?: string;
};

/**
 * For tests and demonstrations: what no client of the service can see or do.
 * @param cutConnections all that are open, as where a proxy before it restarts
 */
export function controlRoutes(app: FastifyInstance, parts: Parts, cutConnections: () => void) {
	const { profile, account, store, seeder, faults, log, storage } = parts;
	const workflowOf = (id = account.test.workflows.main.id) => store.workflow(id);

	app.get('/account', () => ({
		url: parts.url,
		storageUrl: storage.origin,
		profile: profile.name,
		openApiUrl: parts.url + profile.reference.path,
		apiDetails: profile.apiDetails,
		environments: Object.fromEntries(
			Object.entries(account).map(([environment, { keys, workflows }]) => {
				const secrets = Object.entries(keys).map(([key, { secret }]) => [key, secret]);
				return [environment, { keys: Object.fromEntries(secrets), workflows }];
			}),
		),
	}));

	app.get<{ Querystring: { workflow: string } }>('/values', ({ query }) =>
		workflowOf(query.workflow).rows.map(({ document, body, values }) => ({
			documentId: document.id,
			body,
			values,
		})),
	);

	app.post('/reset', async () => {
		await parts.reset();
		return {};
	});

	app.post('/cut', (_request, reply) => {
		// The connection of this request is one of them, and is not used again.
		reply.header('connection', 'close');
		reply.raw.once('finish', cutConnections);
		return {};
	});

	app.post<{ Body: Partial<Settings> }>('/settings', ({ body }) => parts.changeSettings(body));

	app.post<{ Body: SeedBody | null }>('/seed', async ({ body }) => {
		const { workflow: id, documents = 1, collection: collectionId, ...seed } = body ?? {};
		const workflow = workflowOf(id);
		const collection = store.collection(workflow, { id: collectionId });
		const seeded = await seeder.seed(workflow, { ...seed, documents, collection });
		return { documentIds: seeded.map((document) => document.id) };
	});

	app.post<{ Body: { workflow?: string; forMs: number } }>('/busy', ({ body }) => {
		workflowOf(body.workflow).busyUntil = Date.now() + body.forMs;
		return {};
	});

	app.post<{ Body: FaultRule[] }>('/faults', ({ body }) => {
		faults.add(body);
		return {};
	});

	app.get('/faults', () => faults.list());

	app.delete('/faults', () => {
		faults.clear();
		return {};
	});

	app.post<{ Body: { seed: number } }>('/faults/seed', ({ body }) => {
		faults.setSeed(body.seed);
		return {};
	});

	app.get('/ledger', () => store.ledger);

	app.get<{ Querystring: { operation?: string } }>('/requests', ({ query }) =>
		log.list(query.operation),
	);

	app.delete('/requests', () => {
		log.clear();
		return {};
	});
}
