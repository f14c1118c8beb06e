import type { FastifyInstance } from 'fastify';
import type { FaultRule } from './faults.ts';
import { valueOf } from './answers.ts';
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
	const { profile, account, store, faults, log, storage } = parts;
	const workflowOf = (id = account.test.workflows.main.id) => store.workflow(id);

	/** By method and path: what each does with the body or the query. */
	const actions: Record<string, (input: never) => unknown> = {
		'GET /account': () => ({
			url: parts.url,
			storageUrl: storage.origin,
			profile: profile.name,
			openApiUrl: parts.url + profile.reference.path,
			apiDetails: profile.apiDetails,
			forceField: profile.singleExtract.force,
			downloadUrlField: profile.merge.urlField,
			environments: Object.fromEntries(
				Object.entries(account).map(([environment, { keys, workflows }]) => {
					const secrets = Object.entries(keys).map(([key, { secret }]) => [key, secret]);
					return [environment, { keys: Object.fromEntries(secrets), workflows }];
				}),
			),
		}),
		'GET /values': ({ workflow }: { workflow: string }) =>
			workflowOf(workflow).rows.map(({ document: { id }, body, values }) => ({
				documentId: id,
				body,
				values,
			})),
		'POST /reset': () => parts.reset(),
		'POST /settings': (change: Partial<Settings>) => parts.changeSettings(change),
		'POST /seed': async ({ workflow: id, documents = 1, collection, ...seed }: SeedBody) => {
			const workflow = workflowOf(id);
			const seeded = await parts.seed(workflow, {
				...seed,
				documents,
				collection: store.collection(workflow, { id: collection }),
			});
			return { documentIds: seeded.map((document) => document.id) };
		},
		'POST /busy': ({ workflow, forMs }: { workflow?: string; forMs: number }) => {
			workflowOf(workflow).busyUntil = Date.now() + forMs;
		},
		'GET /faults': () => faults.list(),
		'POST /faults': (rules: FaultRule[]) => faults.add(rules),
		'DELETE /faults': () => faults.clear(),
		'POST /faults/seed': ({ seed }: { seed: number }) => faults.setSeed(seed),
		'GET /ledger': () => store.ledger,
		'GET /requests': ({ operation }: { operation?: string }) =>
			log.all
				.filter((request) => !operation || request.operation === operation)
				.map((request) => ({ ...request, answer: readable(request.answer) })),
		'DELETE /requests': () => void (log.all = []),
	};
	for (const [route, act] of Object.entries(actions)) {
		const [method, url] = route.split(' ');
		app.route({
			method,
			url,
			handler: async ({ body, query }) => (await act((body ?? query) as never)) ?? {},
		});
	}

	app.post('/cut', (_request, reply) => {
		// The connection of this request is one of them, and is not used again.
		reply.header('connection', 'close');
		reply.raw.once('finish', cutConnections);
		return {};
	});
}

function readable(answer: unknown): unknown {
	try {
		return typeof answer === 'string' ? valueOf(answer) : answer;
	} catch {
		return answer;
	}
}
