import type { NodeApiError } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import type { BinaryMode } from '../support/binary';
import { startLocalServer } from '../support/localServer';
import { runNode } from '../support/n8n';
import type { Service } from '../support/service';
import { borrowService } from '../support/useService';
import { startFastClock, type FastClock } from './fastClock';
import { textFileItems } from './files';

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };
const EXTRACT = {
	resource: 'extraction',
	operation: 'extractOne',
	documentId: '={{ $json.id }}',
	options: { body: '{"force": true}' },
};
const UPLOAD = { resource: 'document', operation: 'upload' };
const SIGNED = { ...UPLOAD, uploadMethod: 'signed' };
const OUTCOME = 'The outcome is unknown';

/** A hundred times as fast. */
const SPEED = 100;

describe('repeating', () => {
	let service: Service;
	let clock: FastClock;

	beforeAll(async () => {
		service = await borrowService();
		clock = startFastClock(SPEED);
	});

	afterAll(async () => {
		clock.stop();
		await service.stop();
	});

	beforeEach(async () => {
		await service.control.reset();
		clock.waits.length = 0;
	});

	const fail = async (
		operation: 'getExtractions' | 'extractOne' | 'upload' | 'putFile' | 'downloadMerged',
		fault: Fault,
		times?: number,
	) => await service.control.faults([{ match: { operation, times }, fault }]);

	const triesOf = async (operation: Parameters<Service['control']['requests']>[0]) =>
		(await service.control.requests(operation)).length;

	const extractOne = async () => {
		const { documentIds } = await service.control.seed({ documents: 1 });
		return await runNode({
			credential: service.credential(),
			parameters: EXTRACT,
			items: [{ json: { id: documentIds[0] } }],
		});
	};

	const TRANSIENT: Array<[string, Fault]> = [
		['a broken connection before the answer', { type: 'cutBefore' }],
		['a broken connection after the work', { type: 'cutAfter' }],
		['half an answer', { type: 'cutMidBody' }],
		['half the JSON', { type: 'truncate' }],
		['an empty answer', { type: 'empty' }],
		['a page of a proxy', { type: 'html', status: 200 }],
		['an answer in another character set', { type: 'charset', encoding: 'utf16le' }],
		['status 500', { type: 'status', status: 500 }],
		['status 408', { type: 'status', status: 408 }],
		['status 429', { type: 'status', status: 429 }],
	];

	it.each(TRANSIENT)('reads go on after %s', async (_, fault) => {
		await service.control.seed({ documents: 3 });
		await fail('getExtractions', fault, 3);

		const { output, error } = await runNode({ credential: service.credential(), parameters: LIST });

		expect(error).toBeUndefined();
		expect(output).toHaveLength(3);
		expect(await triesOf('getExtractions')).toBe(4);
	});

	it('an answer is read in the character set that it declares', async () => {
		await service.control.seed({ documents: 1, prefix: 'Müller' });
		await fail('getExtractions', { type: 'charset', declared: 'iso-8859-1' });

		const { output } = await runNode({ credential: service.credential(), parameters: LIST });

		expect(JSON.stringify(output)).toContain('Müller-1');
		expect(await triesOf('getExtractions')).toBe(1);
	});

	const DOUBTFUL: Array<[string, Fault, done: number]> = [
		['a broken connection before the work', { type: 'cutBefore' }, 0],
		['a broken connection after the work', { type: 'cutAfter' }, 1],
		['half an answer', { type: 'cutMidBody' }, 1],
		['half the JSON', { type: 'truncate' }, 1],
		['a page of a proxy', { type: 'html', status: 502 }, 0],
		['status 500 after the work', { type: 'statusAfter', status: 500 }, 1],
		['status 504 after the work', { type: 'statusAfter', status: 504 }, 1],
		['status 408', { type: 'status', status: 408 }, 0],
	];

	it.each(DOUBTFUL)(
		'a write is not repeated after %s, and the user is told to look',
		async (_, fault, done) => {
			await fail('extractOne', fault);

			const { error } = await extractOne();

			expect(await triesOf('extractOne')).toBe(1);
			expect((await service.control.ledger()).extractions).toHaveLength(done);
			expect(error?.description).toContain(
				`${OUTCOME}: the service may have processed the request all the same.`,
			);
			expect(error?.description).toContain('check with Document › Get Many');
		},
	);

	it('a write is repeated after a 429, which did nothing', async () => {
		await fail('extractOne', { type: 'status', status: 429 }, 2);

		const { error } = await extractOne();

		expect(error).toBeUndefined();
		expect(await triesOf('extractOne')).toBe(3);
		expect((await service.control.ledger()).extractions).toHaveLength(1);
	});

	it('a write is repeated while no connection can be made, and its outcome is certain', async () => {
		const { url, stop } = await startLocalServer(() => {});
		await stop();

		const { error } = await runNode({
			credential: service.credential({ baseUrl: url }),
			parameters: EXTRACT,
			items: [{ json: { id: 'doc' } }],
		});

		expect(error?.message).toBe('The service cannot be reached');
		expect(error?.description).toBe(
			`No connection to ${url} could be made (ECONNREFUSED). Check 'Base URL' in the credential, and whether n8n's network allows the connection.`,
		);
		// Seven waits between eight tries, each in slices of a quarter of a second.
		expect(clock.waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(1_000);
	});

	it.each([401, 403, 404, 422])('a write refused with %d is sent once', async (status) => {
		await fail('extractOne', { type: 'status', status });

		const { error } = await extractOne();

		expect((error as NodeApiError).httpCode).toBe(String(status));
		expect(await triesOf('extractOne')).toBe(1);
		expect(error?.description).not.toContain(OUTCOME);
	});

	describe.each<BinaryMode>(['memory', 'filesystem'])('files in %s', (mode) => {
		it.each<[string, Fault]>([
			['a broken connection', { type: 'cutBefore' }],
			['status 503', { type: 'status', status: 503 }],
			['status 429', { type: 'status', status: 429 }],
		])('are put to storage from their beginning after %s', async (_, fault) => {
			const items = await textFileItems(2, mode);
			await fail('putFile', fault, 4);

			const { error, output } = await runNode({
				credential: service.credential(),
				parameters: SIGNED,
				items,
				binaryMode: mode,
			});

			expect(error).toBeUndefined();
			expect(output).toHaveLength(2);
			const { uploads } = await service.control.ledger();
			expect(uploads.map(({ size }) => size)).toEqual([18, 18]);
			expect(uploads.every(({ confirmed }) => confirmed)).toBe(true);
			expect(await triesOf('putFile')).toBe(6);
		});

		it('are uploaded whole after a 429', async () => {
			const items = await textFileItems(1, mode);
			await fail('upload', { type: 'status', status: 429 }, 2);

			const { error } = await runNode({
				credential: service.credential(),
				parameters: UPLOAD,
				items,
				binaryMode: mode,
			});

			expect(error).toBeUndefined();
			const { uploads } = await service.control.ledger();
			expect(uploads.map(({ size }) => size)).toEqual([18]);
		});
	});

	it('a new upload URL is asked for when the storage takes the old one no longer', async () => {
		await service.control.faults([
			{ match: { operation: 'putFile', times: 1 }, fault: { type: 'expireUploadUrls' } },
		]);

		const { error, output } = await runNode({
			credential: service.credential(),
			parameters: SIGNED,
			items: await textFileItems(1),
		});

		expect(error).toBeUndefined();
		const { uploads } = await service.control.ledger();
		expect(uploads.map(({ documentId, confirmed }) => [documentId, confirmed])).toEqual([
			[output[0].json.documentId, true],
		]);
	});

	it.each([
		['seconds', () => '7'],
		['a date', () => new Date(Date.now() + 7_500).toUTCString()],
	])('Retry-After in %s is waited for', async (_, value) => {
		await service.control.seed({ documents: 1 });
		await service.control.faults([
			{
				match: { operation: 'getExtractions', times: 1 },
				fault: { type: 'status', status: 429, headers: { 'retry-after': value() } },
			},
		]);
		const start = Date.now();

		const { output } = await runNode({ credential: service.credential(), parameters: LIST });

		expect(output).toHaveLength(1);
		expect(Date.now() - start).toBeGreaterThan(5_000);
	});

	it('a Retry-After of an hour fails at once, and says so', async () => {
		await fail('getExtractions', {
			type: 'status',
			status: 429,
			headers: { 'retry-after': '3600' },
		});
		// Another key, so that no other call is held for an hour.
		const credential = service.credential({
			apiKey: service.account.environments.test.keys.readOnly,
		});

		const { error } = await runNode({ credential, parameters: LIST });

		expect(error?.description).toContain('It asks the node to pause for 60 minutes');
		expect((error as NodeApiError).failure).toEqual({
			cause: 'rate-limited',
			retryAfterMs: 3_600_000,
		});
		expect(await triesOf('getExtractions')).toBe(1);
	});

	it('tries are bounded, and so is the time between them', async () => {
		await fail('getExtractions', { type: 'status', status: 503 });

		const { error } = await runNode({ credential: service.credential(), parameters: LIST });

		expect((error as NodeApiError).failure).toEqual({ cause: 'temporarily-unavailable' });
		expect(await triesOf('getExtractions')).toBe(8);
	});

	it('a limit that refuses for a minute and more costs nothing but time', async () => {
		await fail('extractOne', { type: 'status', status: 429 }, 12);

		const { error, output } = await extractOne();

		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
		expect(await triesOf('extractOne')).toBe(13);
	});

	it('when a limit refuses for minutes, only the first call waits for its end', async () => {
		const { documentIds } = await service.control.seed({ documents: 20 });
		await fail('extractOne', { type: 'status', status: 429 });
		const start = Date.now();

		const { output } = await runNode({
			credential: service.credential(),
			parameters: EXTRACT,
			items: documentIds.map((id) => ({ json: { id } })),
			onError: 'continueRegularOutput',
		});

		expect(output.map(({ json }) => json.error)).toEqual(
			Array(20).fill('The service received too many requests (429)'),
		);
		// Five minutes for all, then at most one hold of half a minute for each.
		expect(Date.now() - start).toBeLessThan(300_000 + 20 * 30_000);

		// An hour later, it is a new limit.
		clock.pass(3_600_000);
		await service.control.reset();
		await fail('extractOne', { type: 'status', status: 429 }, 2);
		const later = await extractOne();
		expect(later.error).toBeUndefined();
	});

	it('no try follows when the total time is over', async () => {
		await fail('getExtractions', {
			type: 'status',
			status: 503,
			headers: { 'retry-after': '200' },
		});

		await runNode({ credential: service.credential(), parameters: LIST });

		// Five minutes hold one wait of 200 s, not two.
		expect(await triesOf('getExtractions')).toBe(2);
	});

	it.each<[string, Fault]>([
		['between two tries', { type: 'status', status: 503, headers: { 'retry-after': '250' } }],
		['in a hold after a 429', { type: 'status', status: 429, headers: { 'retry-after': '250' } }],
		['while the service is silent', { type: 'delay', ms: 20_000 }],
	])('Stop ends a wait at once, %s', async (_, fault) => {
		await fail('getExtractions', fault);
		// A key of its own: the hold would outlast the test.
		const credential = service.credential({
			apiKey: service.account.environments.test.keys.noExtract,
		});
		// The fast clock leaves this one alone: in s, as it really passes.
		const pressed = process.uptime() + 0.3;

		const { status } = await runNode({
			credential,
			parameters: LIST,
			signal: AbortSignal.timeout(300),
		});

		expect(status).toBe('canceled');
		expect(process.uptime() - pressed).toBeLessThan(0.5);
	});
});

describe('a download', () => {
	let service: Service;
	let clock: FastClock;

	beforeAll(async () => {
		service = await borrowService({ profile: 'borealis' });
		clock = startFastClock(SPEED);
	});

	afterAll(async () => {
		clock.stop();
		await service.stop();
	});

	beforeEach(async () => await service.control.reset());

	const merge = async () => {
		const [collection] = service.account.environments.test.workflows.main.collections;
		await service.control.seed({ documents: 2, collection: collection.id });
		return await runNode({
			credential: service.credential(),
			parameters: {
				resource: 'collection',
				operation: 'merge',
				collection: { mode: 'id', value: collection.id },
				options: { downloadUrlField: 'href' },
			},
		});
	};

	it.each<[string, Fault]>([
		['breaks off in the middle', { type: 'cutMidBody' }],
		['is refused for a moment', { type: 'status', status: 503 }],
		['is answered by a proxy', { type: 'html', status: 200 }],
	])('that %s is done again; the merge is not', async (_, fault) => {
		await service.control.faults([{ match: { operation: 'downloadMerged', times: 2 }, fault }]);

		const { error, output } = await merge();

		expect(error).toBeUndefined();
		expect(output[0].binary?.data.mimeType).toBe('application/pdf');
		expect(await service.control.requests('downloadMerged')).toHaveLength(3);
		expect((await service.control.ledger()).merges).toHaveLength(1);
	});

	it('that fails for good says that the merge is done', async () => {
		await service.control.faults([
			{ match: { operation: 'downloadMerged' }, fault: { type: 'status', status: 404, body: '' } },
		]);

		const { error } = await merge();

		expect(error?.message).toBe('The storage refused the signed URL (404)');
		expect(error?.description).toMatch(/The collection was merged, but its PDF did not arrive\.$/);
	});
});
