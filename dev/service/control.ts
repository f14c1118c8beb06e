import type { FastifyInstance } from 'fastify';
import type { EnvironmentPlan, KeyName } from './account.ts';
import type { FaultRule } from './faults.ts';
import { valueOf } from './answers.ts';
import type { Operation } from './operations.ts';
import type { Parts } from './parts.ts';
import type { Seed } from './seeder.ts';
import type { Settings } from './settings.ts';

/** IDs of a workflow, the test environment's main one if left out, and of a collection in it. */
export type SeedBody = Omit<Seed, 'collection' | 'documents' | 'first'> & {
	workflow?: string;
	documents?: number;
	collection?: string;
};

/** For tests and demonstrations: what no client of the service can see or do. What it gives goes by JSON. */
function controlOf(parts: Parts) {
	const { profile, account, store, faults, log, storage } = parts;
	const workflowOf = (id = account.test.workflows.main.id) => store.workflow(id);
	return {
		account: () => ({
			url: parts.url,
			storageUrl: storage.origin,
			profile: profile.name,
			/** Of the OpenAPI document, which needs no key. */
			openApiUrl: parts.url + profile.reference.path,
			/** By the names that the node's code has for them. */
			apiDetails: profile.apiDetails,
			/** What is true in the body of a single extraction that repeats one. */
			forceField: profile.singleExtract.force,
			/** What users enter in 'Download URL Field'; empty where the merged PDF itself is the answer. */
			downloadUrlField: profile.merge.urlField,
			environments: { test: ownerOf(account.test), live: ownerOf(account.live) },
		}),
		/** Everything as it was at the start. */
		reset: () => parts.reset(),
		settings: (change: Partial<Settings>) => parts.changeSettings(change),
		/** Makes finished documents with results, at once. */
		seed: async ({ workflow: id, documents = 1, collection, ...seed }: SeedBody) => {
			const workflow = workflowOf(id);
			const seeded = await parts.seed(workflow, {
				...seed,
				documents,
				collection: store.collection(workflow, { id: collection }),
			});
			return { documentIds: seeded.map((document) => document.id) };
		},
		/** Keeps a workflow extracting, as if another user were busy in it. */
		busy: (workflow: string, forMs: number) => {
			workflowOf(workflow).busyUntil = Date.now() + forMs;
		},
		faults: (rules: FaultRule[]) => faults.add(rules),
		/** The rules, and how often the fault of each has happened. */
		injectedFaults: () => faults.list(),
		clearFaults: () => faults.clear(),
		/** Makes faults with a probability repeatable. */
		seedFaults: (seed: number) => faults.setSeed(seed),
		ledger: () => store.ledger,
		/** Each result of a workflow as it is listed, and what it really tells, in the order of their making. */
		values: (workflow: string) =>
			workflowOf(workflow).rows.map(({ document: { id }, body, values }) => ({
				documentId: id,
				body,
				values,
			})),
		requests: (operation?: Operation) =>
			log
				.filter((request) => !operation || request.operation === operation)
				.map((request) => ({ ...request, answer: readable(request.answer) })),
		/** The log keeps every answer whole: after millions of rows it fills the service's memory. */
		clearRequests: () => void log.splice(0),
	};
}

export type Control = ReturnType<typeof controlOf>;

const ownerOf = ({ keys, workflows }: EnvironmentPlan) => {
	const secrets = Object.entries(keys).map(([name, { secret }]) => [name, secret]);
	return { keys: Object.fromEntries(secrets) as Record<KeyName, string>, workflows };
};

/**
 * A POST for each function, with its parameters as a list.
 * @param cutConnections all that are open, as where a proxy before it restarts
 */
export function controlRoutes(app: FastifyInstance, parts: Parts, cutConnections: () => void) {
	for (const [name, act] of Object.entries(controlOf(parts))) {
		app.post<{ Body: never[] }>(`/${name}`, async ({ body }) => {
			return (await (act as (...given: never[]) => unknown)(...body)) ?? {};
		});
	}
	app.post('/cutConnections', (_request, reply) => {
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
