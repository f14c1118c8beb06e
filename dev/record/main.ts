/**
 * Runs every scenario of every operation with every account, and under most faults, in virtual time, and
 * writes down what the node sent, returned and said, and when: the same bytes as long as the node does the
 * same, so that `git diff --no-index` tells in which cases two versions differ.
 */
import '../simulate/n8nFolder.ts';
import { readdirSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { onTheWire } from '../../test/operations/apiReference.ts';
import { arranged, FAILURES, SCENARIOS } from '../../test/operations/scenarios.ts';
import { useFolderInMemory } from '../../test/support/binary.ts';
import { sample } from '../../test/support/files.ts';
import { connectTo } from '../../test/support/service.ts';
import { ServiceClient } from '../../test/support/serviceClient.ts';
import type { FaultRule } from '../service/faults.ts';
import { pdfTools } from '../service/pdf.ts';
import { drawnProfiles } from '../service/profiles/drawn.ts';
import { profiles } from '../service/profiles/index.ts';
import { loadNode } from '../simulate/node.ts';
import { Randomness, seedChance } from '../simulate/randomness.ts';
import { storm } from '../simulate/weather.ts';
import { startVirtualTime } from '../virtual/clock.ts';
import { exchange, VirtualNetwork } from '../virtual/network.ts';
import { cheapPdfs, startVirtualService, type VirtualService } from '../virtual/service.ts';

const program = new Command('npm run record --')
	.argument('<file>', 'to write')
	.option('--only <text>', 'accounts and scenarios with this in their names', '')
	.parse();
const { only } = program.opts<{ only: string }>();

const DRAWN = 9;
/** Longer than what is left of a run that has ended, in ms. */
const REST_MS = 400_000;
/** No round of it has a spell. */
const FAULTS = storm('https://elsewhere.example/', 2);
const HANDLINGS = ['continueErrorOutput', 'stopWorkflow'] as const;

/** Behind the name of a scenario: its results come as rows. */
const AS_ROWS = ', simplified';

const node = loadNode();

/** One case, as if nothing had been before it. */
async function run(
	virtual: VirtualService,
	scenarioName: string,
	onError: (typeof HANDLINGS)[number],
	faults: FaultRule[],
) {
	const time = startVirtualTime({ isNew: true });
	const endChance = seedChance(new Randomness(1));
	try {
		const service = await connectTo(virtual.move(), async () => {}, exchange);
		const work = async () => {
			await service.control.reset();
			const name = scenarioName.replace(AS_ROWS, '');
			const scenario = await arranged(name, { service, client: new ServiceClient(service) });
			await service.control.clearRequests();
			await service.control.faults(faults);
			const startedAt = Date.now();
			const ran = await node.runNode({
				credential: service.credential(),
				parameters: { ...scenario.parameters, ...(name !== scenarioName && { simple: true }) },
				items: scenario.items,
				onError,
			});
			return { ...ran, startedAt, tookMs: Date.now() - startedAt };
		};
		const ran = await time.run(work());
		await time.settle(REST_MS);
		const requests = await time.run(service.control.requests());
		const lines = [
			...requests.map((request) => {
				const { method, path, ...more } = onTheWire(request);
				const at = Date.parse(request.at) - ran.startedAt;
				return `${at} ms ${method} ${path} ${JSON.stringify(more)} ${request.status}`;
			}),
			...ran.output.map((item) => `item ${JSON.stringify(item)}`),
			...ran.errorOutput.map((item) => `failed ${JSON.stringify(item)}`),
			...ran.hints.map(({ message }) => `hint ${message}`),
			...(ran.error ? [`error ${ran.error.message} ${ran.error.description}`] : []),
			`${ran.status} after ${ran.tookMs} ms`,
		];
		const text = lines
			.map((line) => line.replaceAll('\n', '\\n'))
			.join('\n')
			.replaceAll(service.url, 'https://service')
			.replaceAll(service.storageUrl, 'https://storage')
			// Each process signs with a secret of its own.
			.replace(/(X-Amz-Signature\W+)[0-9a-f]+/g, '$1…');
		return { operations: new Set(requests.map(({ operation }) => operation)), text };
	} finally {
		endChance();
		time.stop();
	}
}

const scenarios = Object.keys({ ...SCENARIOS, ...FAILURES }).flatMap((name) =>
	/extractFromFiles|extraction.getAll/.test(name) ? [name, name + AS_ROWS] : [name],
);
useFolderInMemory();
// What is read for the first time takes real time, and so does what is merged.
const files = readdirSync('examples/files').map((name) => sample(name).data);
for (const file of [...files, await pdfTools.blank()]) await pdfTools.linesOf(file);
const pdfs = { ...pdfTools, merge: cheapPdfs.merge };
const network = new VirtualNetwork();
const accounts = [...profiles, ...drawnProfiles(1, DRAWN)];
const cases: string[] = [];
for (const [number, profile] of accounts.entries()) {
	const virtual = await startVirtualService(network, profile, {}, pdfs);
	const account = number < profiles.length ? profile.name : `drawn ${number - profiles.length}`;
	for (const scenario of scenarios) {
		const name = `${account} · ${scenario}`;
		if (!name.includes(only)) continue;
		const calm = await run(virtual, scenario, 'stopWorkflow', []);
		cases.push(`### ${name}\n${calm.text}`);
		// Each account has its share of the faults.
		for (const [index, { match, fault }] of FAULTS.entries()) {
			if (index % accounts.length !== number) continue;
			for (const operation of calm.operations) {
				if (match?.operation !== undefined && match.operation !== operation) continue;
				for (const times of [1, Infinity]) {
					const rule = { match: { ...match, probability: 1, operation, times }, fault };
					const { text } = await run(virtual, scenario, HANDLINGS[index % 2], [rule]);
					const often = times === 1 ? 'once' : 'always';
					cases.push(`### ${name} · ${operation} ${often} ${JSON.stringify(fault)}\n${text}`);
				}
			}
		}
	}
	await virtual.stop();
}
writeFileSync(program.args[0], cases.join('\n'));
console.log(`${cases.length} cases`);
process.exit(0);
