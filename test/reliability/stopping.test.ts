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
import { useVirtualService } from '../support/useVirtualService';

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };
const UPLOAD = { resource: 'document', operation: 'upload' };
const SIGNED = { ...UPLOAD, uploadMethod: 'signed' };
const MERGE = { resource: 'collection', operation: 'merge' };
const WAIT = { resource: 'workflow', operation: 'waitUntilExtracted' };
const MB = 1_000_000;

type Situation = [
	what: string,
	fault: Fault | undefined,
	parameters: INodeParameters,
	items: number,
];

const retryLater = { 'retry-after': '120' };

/** What a run waits for, and how many items wait. */
const SITUATIONS: Situation[] = [
	['the pause before a retry', { type: 'status', status: 503, headers: retryLater }, LIST, 12],
	['a request without a response', { type: 'stallBefore' }, LIST, 1],
	['a response that stalls', { type: 'stallMidBody', bytes: 10 }, LIST, 1],
	['a download that stalls', { type: 'stallMidBody', bytes: 100 }, MERGE, 1],
	['a direct upload that stalls', { type: 'stallUpload', bytes: MB }, UPLOAD, 1],
	['a signed upload that stalls', { type: 'stallUpload', bytes: MB }, SIGNED, 1],
	['the wait for an extraction', undefined, WAIT, 1],
	// The last one, as everybody with this key waits from here on.
	['the wait for the limiter', { type: 'status', status: 429, headers: retryLater }, LIST, 40],
];

/** What keeps a process busy: sockets, files and timers. */
const inUse = () =>
	process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSWrap|FS|Timeout/.test(name));

/** Brings the service into the situation, and begins a run that `stop` ends. */
async function begin(
	{ service, client }: ReturnType<typeof useRealService>,
	[, fault, parameters, items]: Situation,
) {
	const [collection] = client.workflow.collections;
	await client.uploadedId({ bytes: await pdfOfWidths(100) }, { collection_id: collection.id });
	await service.control.busy(client.workflow.id, 3_600_000);
	const isUpload = parameters.operation === 'upload';
	const item = isUpload
		? await binaryItem({
				files: { data: { data: Buffer.alloc(20 * MB, 'x'), fileName: 'scan.pdf' } },
				mode: 'filesystem',
			})
		: { json: {} };
	const stop = new AbortController();
	const context = executeContext({
		credential: service.credential(),
		parameters: { ...parameters, collection: { __rl: true, mode: 'id', value: collection.id } },
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
		'ends %s at once, and nothing is asked for afterwards',
		async (...situation) => {
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

	it.each(SITUATIONS)('leaves nothing behind of %s', async (...situation) => {
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
