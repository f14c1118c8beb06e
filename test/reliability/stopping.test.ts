import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node';
import type { Fault } from '../../dev/service/faults';
import { binaryItem } from '../support/binary';
import { executeContext } from '../support/n8n';
import { pdfOfWidths } from '../support/files';
import { until } from '../support/serviceClient';
import { useRealService } from '../support/useRealService';
import { useVirtualService } from '../support/useService';

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };
const UPLOAD = { resource: 'document', operation: 'upload' };
const SIGNED = { ...UPLOAD, options: { uploadMethod: 'signed' } };
const MERGE = { resource: 'collection', operation: 'merge' };
const WAIT = { resource: 'workflow', operation: 'waitUntilExtracted' };
const MB = 1_000_000;

interface Situation {
	what: string;
	parameters: INodeParameters;
	fault?: Fault;
	/** How many wait. */
	items?: number;
}

const later = (status: number): Fault => {
	return { type: 'status', status, headers: { 'retry-after': '120' } };
};
const stalls = (bytes: number): Fault => ({ type: 'stallMidBody', bytes });
const STALLED_UPLOAD: Fault = { type: 'stallUpload', bytes: MB };

/** What a run waits for. */
const SITUATIONS: Situation[] = [
	{ what: 'the pause before a retry', fault: later(503), parameters: LIST, items: 12 },
	{ what: 'a request without a response', fault: { type: 'stallBefore' }, parameters: LIST },
	{ what: 'a response that stalls', fault: stalls(10), parameters: LIST },
	{ what: 'a download that stalls', fault: stalls(100), parameters: MERGE },
	{ what: 'a direct upload that stalls', fault: STALLED_UPLOAD, parameters: UPLOAD },
	{ what: 'a signed upload that stalls', fault: STALLED_UPLOAD, parameters: SIGNED },
	{ what: 'the wait for an extraction', parameters: WAIT },
	// The last one, as everybody with this key waits from here on.
	{ what: 'the wait for the limiter', fault: later(429), parameters: LIST, items: 40 },
];

/** What keeps a process busy: sockets, files and timers. */
const inUse = () =>
	process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSWrap|FS|Timeout/.test(name));

/** Brings the service into the situation, and begins a run that `stop` ends. */
async function begin(
	{ service, client }: ReturnType<typeof useRealService>,
	{ fault, parameters, items = 1 }: Situation,
) {
	const [{ id }] = client.workflow.collections;
	await client.uploadedId({ bytes: await pdfOfWidths(100) }, { collection_id: id });
	await service.control.busy(client.workflow.id, 3_600_000);
	const scan = { data: Buffer.alloc(20 * MB, 'x'), fileName: 'scan.pdf' };
	const files: Record<string, typeof scan> =
		parameters.operation === 'upload' ? { data: scan } : {};
	const item = await binaryItem({ files, mode: 'filesystem' });
	const stop = new AbortController();
	const context = executeContext({
		credential: service.credential(),
		parameters: { ...parameters, collection: { __rl: true, mode: 'id', value: id } },
		items: Array.from({ length: items }, () => item),
		signal: stop.signal,
	});
	if (fault) await service.control.faults([{ fault }]);
	await service.control.clearRequests();
	const before = inUse().length;

	const running = new DocumentExtraction().execute.call(context).catch((error: Error) => error);
	return { running, stop, before };
}

describe('Stop, and the time limit of the execution', () => {
	const used = useVirtualService({ profile: 'atlas' });

	it.each(SITUATIONS)(
		'ends $what at once, and nothing is asked for afterwards',
		async (situation) => {
			const { running, stop } = await begin(used, situation);
			await used.time.pass(30_000);
			const pressedAt = used.time.elapsedMs;
			stop.abort(new Error('Stop was pressed'));

			expect(await used.time.run(running)).toBeInstanceOf(Error);

			expect(used.time.elapsedMs - pressedAt).toBeLessThan(10);
			const seen = (await used.control.requests()).length;
			expect(seen).toBeGreaterThan(0);
			await used.time.pass(3_600_000);
			expect((await used.control.requests()).length).toBe(seen);
		},
	);

	it.each([
		LIST,
		UPLOAD,
		{ resource: 'extraction', operation: 'extractFromFiles' },
		{ resource: 'extraction', operation: 'extractDocuments' },
	])('keeps credentials from being read any more: $operation', async (parameters) => {
		const context = executeContext({
			parameters,
			items: [{ json: {} }, { json: {} }],
			signal: AbortSignal.abort(new Error('Stop was pressed')),
		});
		const read = jest.spyOn(context, 'getCredentials');

		const running = new DocumentExtraction().execute.call(context);

		await expect(running).rejects.toThrow('Stop was pressed');
		expect(read).not.toHaveBeenCalled();
	});
});

describe('Stop, on real connections', () => {
	const used = useRealService({ profile: 'atlas' });
	const warnings: string[] = [];
	const note = ({ name }: Error) => void warnings.push(name);
	beforeAll(() => process.on('warning', note));
	afterAll(() => void process.off('warning', note));

	it.each(SITUATIONS)('leaves nothing behind of $what', async (situation) => {
		const { running, stop, before } = await begin(used, situation);
		await until(async () => (await used.control.requests()).length > 0);
		// What is sent and answered meanwhile shows no other way.
		await sleep(200);
		stop.abort(new Error('Stop was pressed'));

		expect(await running).toBeInstanceOf(Error);
		await until(async () => Promise.resolve(inUse().length <= before));
		expect(getEventListeners(stop.signal, 'abort').length).toBeLessThanOrEqual(1);
		expect(warnings).toEqual([]);
		await used.control.clearFaults();
	});
});
