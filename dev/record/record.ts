import { readdirSync } from 'node:fs';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { onTheWire } from '../../test/operations/apiReference.ts';
import { arranged, FAILURES, SCENARIOS } from '../../test/operations/scenarios.ts';
import { useFolderInMemory } from '../../test/support/binary.ts';
import { sample } from '../../test/support/files.ts';
import { connectTo } from '../../test/support/service.ts';
import { ServiceClient } from '../../test/support/serviceClient.ts';
import { rememberedPdfs } from '../../test/support/useService.ts';
import type { FaultRule } from '../service/faults.ts';
import type { Operation } from '../service/operations.ts';
import { drawnProfiles } from '../service/profiles/drawn.ts';
import { profiles } from '../service/profiles/index.ts';
import { loadNode } from '../simulate/node.ts';
import { Randomness, seedChance } from '../simulate/randomness.ts';
import { storm } from '../simulate/weather.ts';
import { startVirtualTime } from '../virtual/clock.ts';
import { exchange, VirtualNetwork } from '../virtual/network.ts';
import { cheapPdfs, startVirtualService, type VirtualService } from '../virtual/service.ts';

/** Before the name of each case. */
const CASE = '### ';
const DRAWN = 9;
/** Longer than what is left of a run that has ended, in ms. */
const REST_MS = 400_000;
/** No round of it has a spell. */
const FAULTS = storm('https://elsewhere.example/', 2);
const HANDLINGS = ['continueErrorOutput', 'stopWorkflow'] as const;

const OFTEN = [
	['once', 1],
	['always', undefined],
] as const;

type Scenario = [title: string, name: string, parameters?: INodeParameters];

/** Those of the tests, and their results as rows. */
const scenarios: Scenario[] = Object.keys({ ...SCENARIOS, ...FAILURES }).flatMap(
	(name): Scenario[] => [
		[name, name],
		...(/extractFromFiles|extraction.getAll/.test(name)
			? [[`${name}, simplified`, name, { simple: true }] satisfies Scenario]
			: []),
	],
);

const node = loadNode();

/**
 * What the node does, a text for each case: an account, a scenario, and one fault in one kind of requests.
 * @param only a part of the accounts and scenarios wanted, e.g. `atlas · extraction.getAll`
 */
export async function* recorded(only: string): AsyncGenerator<string> {
	useFolderInMemory();
	// What is read for the first time takes real time, and so does what is merged.
	const files = readdirSync('examples/files').map((name) => sample(name).data);
	for (const file of [...files, await rememberedPdfs.blank()]) await rememberedPdfs.linesOf(file);
	const pdfs = { ...rememberedPdfs, merge: cheapPdfs.merge };
	const network = new VirtualNetwork();
	const accounts = [...profiles, ...drawnProfiles(1, DRAWN)];
	for (const [number, profile] of accounts.entries()) {
		const virtual = await startVirtualService(network, profile, {}, pdfs);
		const account = number < profiles.length ? profile.name : `drawn ${number - profiles.length}`;
		for (const scenario of scenarios) {
			const name = `${account} · ${scenario[0]}`;
			if (!name.includes(only)) continue;
			const calm = await run(virtual, scenario, 'stopWorkflow', []);
			yield `${CASE}${name}\n${calm.text}`;
			for (const [index, { match, fault }] of FAULTS.entries()) {
				// Each account has its share of them.
				if (index % accounts.length !== number) continue;
				for (const operation of calm.operations) {
					if (match?.operation !== undefined && match.operation !== operation) continue;
					for (const [often, times] of OFTEN) {
						const faulty = `${name} · ${operation} ${often} ${JSON.stringify(fault)}`;
						const rule = { match: { ...match, probability: 1, operation, times }, fault };
						const { text } = await run(virtual, scenario, HANDLINGS[index % 2], [rule]);
						yield `${CASE}${faulty}\n${text}`;
					}
				}
			}
		}
		await virtual.stop();
	}
}

/** One case, as if nothing had been before it. */
async function run(
	virtual: VirtualService,
	[, name, parameters]: Scenario,
	onError: (typeof HANDLINGS)[number],
	faults: FaultRule[],
) {
	const time = startVirtualTime({ isNew: true });
	const endChance = seedChance(new Randomness(1));
	try {
		const service = await connectTo(virtual.move(), async () => {}, {}, exchange);
		const work = async () => {
			await service.control.reset();
			const scenario = await arranged(name, { service, client: new ServiceClient(service) });
			await service.control.clearRequests();
			await service.control.faults(faults);
			const startedAt = Date.now();
			const ran = await node.runNode({
				credential: service.credential(),
				parameters: { ...scenario.parameters, ...parameters },
				items: scenario.items,
				onError,
			});
			return { ran, startedAt, tookMs: Date.now() - startedAt };
		};
		const { ran, startedAt, tookMs } = await time.run(work());
		await time.settle(REST_MS);
		const requests = virtual.log.list();
		const { output, errorOutput, error, hints, status } = ran;
		const lines = [
			...requests.map((request) => {
				const { method, path, ...more } = onTheWire(request);
				const at = Date.parse(request.at) - startedAt;
				return `${at} ms ${method} ${path} ${JSON.stringify(more)} ${request.status}`;
			}),
			...output.map((item) => `item ${textOf(item)}`),
			...errorOutput.map((item) => `failed ${textOf(item)}`),
			...hints.map(({ message }) => `hint ${message}`),
			...(error ? [`error ${error.message} ${error.description}`] : []),
			`${status} after ${tookMs} ms`,
		];
		const operations = new Set<Operation>(requests.map(({ operation }) => operation));
		const text = lines
			.map((line) => line.replaceAll('\n', '\\n'))
			.join('\n')
			.replaceAll(service.url, 'https://service')
			.replaceAll(service.storageUrl, 'https://storage')
			// Each process signs with a secret of its own.
			.replace(/(X-Amz-Signature\W+)[0-9a-f]+/g, '$1…');
		return { operations, text };
	} finally {
		endChance();
		time.stop();
	}
}

/** Its files without what they hold. */
const textOf = ({ json, binary = {}, pairedItem }: INodeExecutionData) =>
	JSON.stringify({
		json,
		pairedItem,
		files: Object.entries(binary).map(([field, { fileName, mimeType, fileSize, bytes }]) => [
			field,
			fileName,
			mimeType,
			fileSize,
			bytes,
		]),
	});
