import type { INodeExecutionData } from 'n8n-workflow';
import { drawnProfiles } from '../../dev/service/profiles/drawn';
import { BINARY_MODES, readBinary } from '../support/binary';
import { sha256 } from '../support/files';
import { PROFILES } from '../support/serviceContract';
import { useService } from '../support/useService';
import { inAnyOrder, onTheWire, withoutRepeatedReads } from './apiReference';
import { contradictions, missing } from './outputSchema';
import {
	arranged,
	FAILURES,
	operationOf,
	SCENARIOS,
	type ExpectedItem,
	type Seen,
} from './scenarios';

/** Operations that read or make files, which is done in two ways. */
const HAS_FILES = /upload|FromFiles|merge/;

async function hashes(item: INodeExecutionData) {
	const entries = Object.entries(item.binary ?? {}).map(async ([field, file]) => [
		field,
		{
			sha256: sha256(await readBinary(item, field)),
			fileName: file.fileName,
			mimeType: file.mimeType,
		},
	]);
	return Object.fromEntries(await Promise.all(entries)) as ExpectedItem['files'];
}

const NAMED = PROFILES.map((profile) => ({ title: profile, profile }));
const DRAWN = drawnProfiles(1, 8).map((profile, index) => ({
	title: `account ${index} drawn`,
	profile,
}));

const asExpected = async (item: INodeExecutionData): Promise<ExpectedItem> => ({
	item: [item.pairedItem as { item: number }].flat()[0].item,
	json: item.json,
	...(item.binary && { files: await hashes(item) }),
});

describe.each([...NAMED, ...DRAWN])('with the API Details of $title', ({ profile }) => {
	const used = useService({ profile, extractionMs: 40, startMs: 20 });

	const isDrawn = typeof profile === 'object';

	// Where n8n keeps files has nothing to do with the account.
	describe.each(isDrawn ? (['filesystem'] as const) : BINARY_MODES)('and files in %s', (mode) => {
		const scenarios = Object.keys({ ...SCENARIOS, ...FAILURES }).filter(
			(name) =>
				(mode === 'filesystem' || HAS_FILES.test(name)) &&
				// What an account's API reference leaves out is not found.
				!(isDrawn && name === 'workflow.checkSetup'),
		);

		it.each(scenarios)('%s sends and returns all it should, as its schema says', async (name) => {
			const { parameters, items, ...expected } = await arranged(name, used, mode);
			await used.control.clearRequests();
			const onError = name in FAILURES ? 'continueRegularOutput' : 'stopWorkflow';

			const run = await used.run(parameters, { items, binaryMode: mode, onError });

			expect(run.error).toBeUndefined();
			const log = await used.control.requests();
			const seen: Seen = {
				log,
				answers: (kind) =>
					log.filter(({ operation }) => operation === kind).map(({ answer }) => answer),
				ledger: await used.control.ledger(),
			};
			const requests = withoutRepeatedReads(log.map(onTheWire));
			expect(inAnyOrder(requests)).toEqual(inAnyOrder(expected.requests(seen)));
			expect(run.output).not.toHaveLength(0);
			expect(await Promise.all(run.output.map(asExpected))).toEqual(expected.output(seen));
			expect(run.errorOutput).toEqual([]);
			if (name in FAILURES) return;
			expect(contradictions(operationOf(name), run.output)).toEqual([]);
			// What the raw form lacks is what simplify.test.ts finds in the other.
			if (parameters.simple === false) return;
			expect(missing(operationOf(name), run.output)).toEqual([]);
		});
	});
});
