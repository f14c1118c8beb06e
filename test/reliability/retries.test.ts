import { createRequire } from 'node:module';
import { Container } from '@n8n/di';
import { sleep } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import { BINARY_MODES, binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import type { Service } from '../support/service';
import { useVirtualService } from '../support/useService';
import { sleepModule } from '../support/sleepModule';

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };
const EXTRACT = {
	resource: 'extraction',
	operation: 'extractOne',
	documentId: '={{ $json.id }}',
	options: { body: '{"force": true}' },
};
const UPLOAD = { resource: 'document', operation: 'upload' };
const OUTCOME = 'The outcome is unknown';
const refusing = (status: number, retryAfter: string): Fault => ({
	type: 'status',
	status,
	headers: { 'retry-after': retryAfter },
});

describe('repeating', () => {
	const used = useVirtualService();
	const triesOf = async (operation: Parameters<Service['control']['requests']>[0]) =>
		(await used.control.requests(operation)).length;

	const extractOne = async () => {
		const { documentIds } = await used.control.seed({ documents: 1 });
		return await used.run(EXTRACT, { items: [{ json: { id: documentIds[0] } }] });
	};

	// After which statuses: refusals.test.ts.
	it.each<[string, Fault]>([
		['a broken connection before the answer', { type: 'cutBefore' }],
		['half an answer', { type: 'cutMidBody' }],
		['half the JSON', { type: 'truncate' }],
		['an empty answer', { type: 'empty' }],
		['an answer in another character set', { type: 'charset' }],
	])('reads go on after %s', async (_, fault) => {
		await used.control.seed({ documents: 3 });
		await used.fault('getExtractions', fault, { times: 3 });

		const { output, error } = await used.run(LIST);

		expect(error).toBeUndefined();
		expect(output).toHaveLength(3);
		expect(await triesOf('getExtractions')).toBe(4);
	});

	it.each<[string, Fault, done: number]>([
		['a broken connection before the work', { type: 'cutBefore' }, 0],
		['a broken connection after the work', { type: 'cutAfter' }, 1],
		['half an answer', { type: 'cutMidBody' }, 1],
		['half the JSON', { type: 'truncate' }, 1],
	])('a write is not repeated after %s, and the user is told to look', async (_, fault, done) => {
		await used.fault('extractOne', fault);

		const { error } = await extractOne();

		expect(await triesOf('extractOne')).toBe(1);
		expect((await used.control.ledger()).extractions).toHaveLength(done);
		expect(error?.description).toContain(OUTCOME);
	});

	it("what n8n's SSRF protection forbids is not sent, and its outcome is certain", async () => {
		// n8n-core has the configuration, and does not export it.
		const { SsrfProtectionConfig } = createRequire(require.resolve('n8n-core'))('@n8n/config') as {
			SsrfProtectionConfig: new () => { enabled: boolean };
		};
		const protection = Container.get(SsrfProtectionConfig);
		protection.enabled = true;

		const { error } = await extractOne().finally(() => (protection.enabled = false));

		expect(error?.message).toBe('The request to the service did not succeed');
		expect(error?.description).toContain('restricted IP address');
		expect(error?.description).not.toContain(OUTCOME);
		expect(await triesOf('extractOne')).toBe(0);
	});

	it('a write is repeated while no connection can be made, and its outcome is certain', async () => {
		const { error } = await used.run(EXTRACT, {
			credential: { baseUrl: 'http://127.0.0.1:1' },
			items: [{ json: { id: 'doc' } }],
		});

		expect(error?.description).toContain('ECONNREFUSED');
		expect(error?.description).not.toContain(OUTCOME);
		// Seven waits between eight tries.
		expect(used.time.elapsedMs).toBeGreaterThan(1_000);
	});

	describe.each(BINARY_MODES)('files in %s', (binaryMode) => {
		it.each<[operation: 'upload' | 'putFile', uploadMethod: string, what: string, fault: Fault]>([
			['putFile', 'signed', 'a broken connection', { type: 'cutBefore' }],
			['putFile', 'signed', 'status 429', { type: 'status', status: 429 }],
			['upload', 'direct', 'status 429', { type: 'status', status: 429 }],
		])('are sent whole again (%s, %s) after %s', async (operation, uploadMethod, _, fault) => {
			const files = { data: textFile('a.txt', 'Invoice number: 1\n') };
			const item = await binaryItem({ files, mode: binaryMode });
			await used.fault(operation, fault, { times: 4 });

			const { error, output } = await used.run(
				{ ...UPLOAD, options: { uploadMethod } },
				{ items: [item, item], binaryMode },
			);

			expect(error).toBeUndefined();
			expect(output).toHaveLength(2);
			const { uploads } = await used.control.ledger();
			expect(uploads).toMatchObject(Array(2).fill({ size: 18, confirmed: true }));
			expect(await triesOf(operation)).toBe(6);
		});
	});

	it.each([
		['seconds', () => '7'],
		['seconds with decimals', () => '6.873'],
		['a date', () => new Date(Date.now() + 7_500).toUTCString()],
	])('Retry-After in %s is waited for', async (_, value) => {
		await used.control.seed({ documents: 1 });
		await used.fault('getExtractions', refusing(429, value()), { times: 1 });

		const { output } = await used.run(LIST);

		expect(output).toHaveLength(1);
		expect(used.time.elapsedMs).toBeGreaterThan(5_000);
		expect(used.time.elapsedMs).toBeLessThan(30_000);
	});

	it('a call that comes back after a long pause heeds what others were told meanwhile', async () => {
		await used.fault('getExtractions', refusing(503, '200'), { times: 1 });
		await used.fault('getDocuments', refusing(429, '150'), { times: 1 });
		const other = sleep(100_000).then(
			async () => await used.run({ resource: 'document', operation: 'getAll' }),
		);

		await used.time.run(Promise.all([used.run(LIST), other]));

		const [first, second] = await used.control.requests('getExtractions');
		expect(Date.parse(second.at) - Date.parse(first.at)).toBeGreaterThanOrEqual(250_000);
	});

	it('no try follows when the total time is over', async () => {
		await used.fault('getExtractions', refusing(503, '200'));

		await used.run(LIST);

		// Five minutes hold one wait of 200 s, not two.
		expect(await triesOf('getExtractions')).toBe(2);
	});

	it("Stop ends a wait at once where n8n's own sleep goes on", async () => {
		const module = sleepModule();
		const { sleep } = module;
		module.sleep = async (ms) => await sleep(ms);
		await used.fault('getExtractions', refusing(503, '250'));

		const { status } = await used.run(LIST, { signal: AbortSignal.timeout(300) });
		module.sleep = sleep;

		expect(status).toBe('canceled');
		expect(used.time.elapsedMs).toBeLessThan(310);
	});
});

describe('a download', () => {
	const used = useVirtualService({ profile: 'borealis' });

	const merge = async () => {
		const [{ id }] = used.client.workflow.collections;
		await used.control.seed({ documents: 2, collection: id });
		return await used.run({
			resource: 'collection',
			operation: 'merge',
			collection: { mode: 'id', value: id },
			options: { downloadUrlField: 'href' },
		});
	};

	it.each<[string, Fault]>([
		['breaks off in the middle', { type: 'cutMidBody' }],
		['is refused for a moment', { type: 'status', status: 503 }],
		['is answered by a proxy', { type: 'html', status: 200 }],
		['comes empty', { type: 'empty' }],
	])('that %s is done again; the merge is not', async (_, fault) => {
		await used.fault('downloadMerged', fault, { times: 2 });

		const { error, output } = await merge();

		expect(error).toBeUndefined();
		expect(output[0].binary?.data.mimeType).toBe('application/pdf');
		expect(await used.control.requests('downloadMerged')).toHaveLength(3);
		expect((await used.control.ledger()).merges).toHaveLength(1);
	});

	it('is not made twice where the merge itself is answered with nothing', async () => {
		await used.fault('merge', { type: 'empty' });

		const { error, output } = await merge();

		expect(output).toEqual([]);
		expect(error?.description).toContain(OUTCOME);
		expect(await used.control.requests('merge')).toHaveLength(1);
	});
});
