import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import { binaryItem, type BinaryMode } from '../support/binary';
import { pdfOfWidths } from '../support/files';
import { startLocalServer } from '../support/localServer';
import { runNode } from '../support/n8n';
import { BINARY_MODES } from '../support/profiles';
import type { Profile } from '../support/serviceContract';
import { useService } from '../support/useService';
import { startFastClock, type FastClock } from './fastClock';
import { startFastTimeouts } from './fastTimeouts';

const MB = 1_000_000;
const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };
const UPLOAD = { resource: 'document', operation: 'upload' };
const METHODS = ['direct', 'signed'] as const;

const fileOf = async (size: number, mode: BinaryMode) =>
	await binaryItem({
		files: { data: { data: Buffer.alloc(size, 'x'), fileName: 'scan.pdf' } },
		mode,
	});

/** Waits and time limits pass so much faster. */
function useSpeed(speed: number) {
	let clock: FastClock;
	let timeouts: ReturnType<typeof startFastTimeouts>;
	beforeEach(() => {
		clock = startFastClock(speed);
		timeouts = startFastTimeouts(speed);
	});
	afterEach(() => {
		timeouts.stop();
		clock.stop();
	});
}

// In real time, and first: a limiter that has lived in faster time waits for long afterwards.
describe('a response that is larger than anybody needs', () => {
	const used = useService({ profile: 'atlas' });

	it('ends with a clear error, and is not held', async () => {
		await used.service.control.faults([
			{ fault: { type: 'huge', bytes: 200 * MB, status: 200, gzip: true } },
		]);
		setFlagsFromString('--expose-gc');
		const collectGarbage = runInNewContext('gc') as () => void;
		// Garbage does not count, including that of earlier tests.
		const held = () => {
			collectGarbage();
			const { heapUsed, external } = process.memoryUsage();
			return heapUsed + external;
		};
		const before = held();
		let most = before;
		const sampling = setInterval(() => (most = Math.max(most, held())), 100);

		const { error } = await runNode({ credential: used.service.credential(), parameters: LIST });
		clearInterval(sampling);

		expect(error?.message).toBe('The response of the service is too large');
		expect(error?.description).toContain('It is larger than 50 MB');
		expect(await used.service.control.requests('getExtractions')).toHaveLength(1);
		expect(most - before).toBeLessThan(150 * MB);
	});

	it('is no page of 200 results of 200 kB each', async () => {
		const items = Array.from({ length: 200 }, (_, number) => ({
			number,
			text: 'x'.repeat(200_000),
		}));
		const page = JSON.stringify({ total: 200, page: 1, limit: 200, pages: 1, items });
		const server = await startLocalServer((_, response) => {
			response.setHeader('content-type', 'application/json');
			response.end(page);
		});

		const { error, output } = await runNode({
			credential: used.service.credential({ baseUrl: server.url }),
			parameters: LIST,
		});
		await server.stop();

		expect(error).toBeUndefined();
		expect(output).toHaveLength(200);
	});
});

describe('a file of 40 MB over a line that takes seven minutes', () => {
	const speed = 30;
	const used = useService({ profile: 'atlas' });
	useSpeed(speed);

	it.each(BINARY_MODES)(
		'goes up directly and by signed URL, from %s',
		async (mode) => {
			const { service } = used;
			const bytesPerSecond = (speed * 40 * MB) / (7 * 60);
			await service.control.faults([{ fault: { type: 'slowUpload', bytesPerSecond } }]);

			const runs = await Promise.all(
				METHODS.map(async (uploadMethod) =>
					runNode({
						credential: service.credential(),
						parameters: { ...UPLOAD, uploadMethod },
						items: [await fileOf(40 * MB, mode)],
						binaryMode: mode,
					}),
				),
			);

			for (const { error } of runs) expect(error).toBeUndefined();
			const { uploads } = await service.control.ledger();
			expect(uploads.map(({ size, confirmed }) => ({ size, confirmed }))).toEqual(
				METHODS.map(() => ({ size: 40 * MB, confirmed: true })),
			);
		},
		90_000,
	);
});

describe.each([
	['direct', 'upload', 'service'],
	['signed', 'putFile', 'storage'],
] as const)('an upload (%s) that makes no progress', (uploadMethod, operation, peer) => {
	const used = useService({ profile: 'atlas' });
	useSpeed(60);

	const upload = async (mode: BinaryMode, times?: number) => {
		// The service does not notice that a stalled upload is over, and its URL may be used again.
		await used.service.control.settings({ uploadUrlUses: 100 });
		await used.service.control.faults([
			{ match: { operation, times }, fault: { type: 'stallUpload', bytes: 1 * MB } },
		]);
		const run = await runNode({
			credential: used.service.credential(),
			parameters: { ...UPLOAD, uploadMethod },
			items: [await fileOf(20 * MB, mode)],
			binaryMode: mode,
		});
		await used.service.control.clearFaults();
		return run;
	};

	it.each(BINARY_MODES)(
		'is cut after a minute, with no doubt about the outcome: %s',
		async (mode) => {
			const { error } = await upload(mode);

			expect(error?.message).toBe(`The upload to the ${peer} stalled`);
			expect(error?.description).toContain('No part of the file was sent for 60 seconds');
			expect(error?.description).not.toContain('outcome is unknown');
		},
	);

	it('is tried again, as its body was not whole', async () => {
		const { error } = await upload('filesystem', 1);

		expect(error).toBeUndefined();
		expect((await used.service.control.ledger()).uploads).toMatchObject([
			{ size: 20 * MB, confirmed: true },
		]);
	});
});

const STALLS: Array<[what: string, fault: Fault, message: string, reason: string]> = [
	[
		'no response',
		{ type: 'stallBefore' },
		'The service did not respond in time',
		'It was given 300 seconds for its response',
	],
	[
		'no response after the work',
		{ type: 'stallAfter' },
		'The service did not respond in time',
		'It was given 300 seconds for its response',
	],
	[
		'headers and no more',
		{ type: 'stallMidBody' },
		'The response of the service stalled',
		'not at all for a minute',
	],
	[
		'half of the body and no more',
		{ type: 'stallMidBody', bytes: 500 },
		'The response of the service stalled',
		'not at all for a minute',
	],
	[
		'a drip',
		{ type: 'drip', everyMs: 20 },
		'The response of the service stalled',
		'more slowly than 0.25 Mbit/s',
	],
];

describe('a response that stalls', () => {
	const used = useService({ profile: 'atlas' });
	useSpeed(200);
	beforeEach(async () => await used.service.control.seed({ documents: 40 }));

	const list = async (fault: Fault, times?: number) => {
		await used.service.control.faults([{ match: { operation: 'getExtractions', times }, fault }]);
		return await runNode({ credential: used.service.credential(), parameters: LIST });
	};

	it.each(STALLS)('is let go of, and asked for again: %s', async (_, fault) => {
		const { error, output } = await list(fault, 1);

		expect(error).toBeUndefined();
		expect(output).toHaveLength(40);
		expect(await used.service.control.requests('getExtractions')).toHaveLength(2);
	});

	it.each(STALLS)(
		'fails with its limit when it stays so: %s',
		async (_, fault, message, reason) => {
			const { error } = await list(fault);

			expect(error?.message).toBe(message);
			expect(error?.description).toContain(reason);
		},
	);

	it('leaves a write in doubt, which is not done again', async () => {
		const [column] = used.client.workflow.columns;
		const { documentIds } = await used.service.control.seed({
			documents: 1,
			columns: [column.id],
		});
		await used.service.control.faults([
			{ match: { operation: 'extractBulk' }, fault: { type: 'stallAfter' } },
		]);

		const { error } = await runNode({
			credential: used.service.credential(),
			parameters: {
				resource: 'extraction',
				operation: 'extractDocuments',
				documentIds: documentIds[0],
			},
		});

		expect(error?.message).toBe('The service did not respond in time');
		expect(error?.description).toContain('The outcome is unknown');
		expect((await used.service.control.ledger()).extractions).toHaveLength(1);
	});

	it('holds nobody else up when it is the first after a 429', async () => {
		const { control } = used.service;
		await control.faults([
			{ match: { times: 1 }, fault: { type: 'status', status: 429 } },
			{ match: { times: 1 }, fault: { type: 'stallBefore' } },
		]);
		const finished: number[] = [];

		const runs = Array.from({ length: 5 }, async (_, index) => {
			const run = await runNode({ credential: used.service.credential(), parameters: LIST });
			finished.push(index);
			return run;
		});
		await Promise.race(runs);
		const requests = await control.requests('getExtractions');
		const outcomes = await Promise.all(runs);

		expect(outcomes.map(({ output }) => output.length)).toEqual([40, 40, 40, 40, 40]);
		// The stalled one had not ended when others were served.
		expect(requests.filter(({ status }) => status === null)).toHaveLength(1);
		expect(finished).toHaveLength(5);
	});
});

describe.each<[Profile, 'merge' | 'downloadMerged', string, string]>([
	['atlas', 'merge', '', 'service'],
	['cobalt', 'downloadMerged', 'payload.download.url', 'service'],
	['borealis', 'downloadMerged', 'href', 'storage'],
])('the merged PDF (%s, %s) that stalls', (profile, operation, downloadUrlField, peer) => {
	const used = useService({ profile });
	useSpeed(200);

	const merge = async (fault: Fault, times?: number) => {
		const [{ id }] = used.client.workflow.collections;
		await used.client.uploadedId({ bytes: await pdfOfWidths(100) }, { collection_id: id });
		await used.service.control.faults([{ match: { operation, times }, fault }]);
		const parameters: INodeParameters = {
			resource: 'collection',
			operation: 'merge',
			collection: { __rl: true, mode: 'id', value: id },
			options: { downloadUrlField },
		};
		return await runNode({
			credential: used.service.credential(),
			parameters,
			binaryMode: 'filesystem',
		});
	};

	it.each<[string, Fault]>([
		['in the middle', { type: 'stallMidBody', bytes: 100 }],
		['by dripping', { type: 'drip', everyMs: 20 }],
	])('is let go of %s', async (_, fault) => {
		const { error } = await merge(fault);

		expect(error?.message).toBe(`The response of the ${peer} stalled`);
		expect(error?.description).toContain(
			operation === 'merge' ? 'The outcome is unknown' : 'but its PDF did not arrive',
		);
	});
});
