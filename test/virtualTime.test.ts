import { sleep } from 'n8n-workflow';
import { useService } from './support/useService';
import { useVirtualService } from './support/useVirtualService';

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };

describe('virtual time', () => {
	const used = useVirtualService({ profile: 'atlas' });

	it('says so when everybody waits for ever', async () => {
		await expect(used.time.run(new Promise(() => {}))).rejects.toThrow('Everybody waits for ever');
	});

	it.each([
		['https://nowhere.invalid', 'ENOTFOUND'],
		['https of the service', 'EPROTO'],
	])('opens no connection by TLS either: %s', async (address, code) => {
		const { url } = used.service;
		const baseUrl = address.includes(' ') ? url.replace('http:', 'https:') : address;

		const { error } = await used.run(LIST, { credential: { baseUrl } });

		expect(error?.description).toContain(code);
	});
});

describe('virtual time that flows', () => {
	const used = useService();

	it('passes wherever the test waits', async () => {
		await sleep(3_600_000);
		expect(used.time.elapsedMs).toBe(3_600_000);

		await used.time.run(sleep(60_000));
		expect(used.time.elapsedMs).toBe(3_660_000);
	});

	it('is as new in the next test', () => {
		expect(used.time.elapsedMs).toBeLessThan(60_000);
	});
});
