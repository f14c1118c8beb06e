import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { PDFDocument } from '@cantoo/pdf-lib';
import { FormData } from 'undici';
import { sha256 } from './support/files';
import type { Service } from './support/service';
import { at, find, ServiceClient, until, type Answer } from './support/serviceClient';
import { borrowService } from './support/useRealService';

type Profile = Service['account']['profile'];

const profiles: Profile[] = ['atlas', 'borealis', 'cobalt'];

const sample = (name: string) => readFileSync(resolve(__dirname, '../examples/files', name));
const invoice = sample('invoice-harbour-supplies.pdf');

/** A PDF of which each page has a width of its own, so that pages can be told apart. */
async function pdfOfWidths(...widths: number[]) {
	const pdf = await PDFDocument.create();
	for (const width of widths) pdf.addPage([width, 200]);
	return Buffer.from(await pdf.save());
}

async function pageWidths(bytes: Buffer) {
	const pdf = await PDFDocument.load(bytes);
	return pdf.getPages().map((page) => page.getWidth());
}

/** What profiles do differently on purpose; everything else is the same in all of them. */
const expected = {
	atlas: {
		missingKey: 401,
		unknownKey: 401,
		revokedKey: 401,
		missingScope: 403,
		invalid: (json: unknown) => (json as { detail: unknown }).detail,
		uuidFilter: 'collection_id',
		uploaded: 201,
		urlCreated: 200,
		confirmed: 200,
		bulk: { status: 204, text: '' },
		single: 200,
		unknownDocument: 404,
		finished: 'completed',
		rowsPerDocument: 1,
		valuesForm: expect.objectContaining({ Total: 1.5 }) as unknown,
		uploadUrlCollection: 'id',
		signsSize: true,
		mergedAddress: null,
	},
	borealis: {
		missingKey: 403,
		unknownKey: 401,
		revokedKey: 403,
		missingScope: 403,
		invalid: (json: unknown) => (json as { errors: unknown }).errors,
		uuidFilter: 'document_id',
		uploaded: 200,
		urlCreated: 201,
		confirmed: 204,
		bulk: { status: 200, text: 'null' },
		single: 202,
		unknownDocument: 422,
		finished: 'DONE',
		rowsPerDocument: 7,
		valuesForm: expect.objectContaining({
			doc_ref: expect.any(String),
			value: 'SEED-1',
		}) as unknown,
		uploadUrlCollection: 'name',
		signsSize: false,
		mergedAddress: { inStorage: true, withKey: 400, withoutKey: 200 },
	},
	cobalt: {
		missingKey: 401,
		unknownKey: 401,
		revokedKey: 401,
		missingScope: 401,
		invalid: (json: unknown) => json,
		uuidFilter: 'collection_id',
		uploaded: 202,
		urlCreated: 200,
		confirmed: 202,
		bulk: { status: 202, text: '' },
		single: 204,
		unknownDocument: 404,
		finished: 2,
		rowsPerDocument: 1,
		valuesForm: expect.arrayContaining([
			{ column_id: 104, caption: 'Total', content: 1.5 },
		]) as unknown,
		uploadUrlCollection: 'none',
		signsSize: true,
		mergedAddress: { inStorage: false, withKey: 200, withoutKey: 401 },
	},
};

/**
 * Values by the name of the column, out of any profile's results, found as a client finds them
 * that knows only the API Details.
 */
function valuesOf({ apiDetails }: Service['account'], items: unknown[]): Record<string, unknown> {
	const { valuesField, columnNameField, columnValueField } = apiDetails;
	const places = valuesField ? items.map((item) => at(item, valuesField)) : items;
	if (!columnNameField) return Object.assign({}, ...places);
	return Object.fromEntries(
		places.flat().map((entry) => [at(entry, columnNameField), at(entry, columnValueField)]),
	);
}

describe.each(profiles)('the simulated service as %s', (profile) => {
	const differs = expected[profile];
	let service: Service;
	let client: ServiceClient;

	beforeAll(async () => {
		service = await borrowService({ profile, extractionMs: 30, startMs: 30 });
		client = new ServiceClient(service);
	});

	beforeEach(async () => await service.control.reset());

	afterAll(async () => {
		await client.close();
		await service.stop();
	});

	const documentsIn = (json: unknown) =>
		({
			atlas: () => (json as { items: unknown[] }).items,
			borealis: () => json as unknown[],
			cobalt: () => (json as { inbox: { entries: unknown[] } }).inbox.entries,
		})[profile]();

	const invalidEntries = (json: unknown) =>
		differs.invalid(json) as Array<{ loc: unknown[]; msg: string; type: string }>;

	describe('access', () => {
		it('refuses a missing, an unknown and a revoked key, and one without the scope', async () => {
			const { keys } = client.environment;
			const list = client.at('/extractions');
			const statuses = {
				missingKey: (await client.api('GET', list, { key: null })).status,
				unknownKey: (await client.api('GET', list, { key: `${keys.full}0` })).status,
				revokedKey: (await client.api('GET', list, { key: keys.revoked })).status,
				missingScope: (await client.api('POST', client.at('/extract'), { key: keys.noExtract }))
					.status,
			};
			const { missingKey, unknownKey, revokedKey, missingScope } = differs;
			expect(statuses).toEqual({ missingKey, unknownKey, revokedKey, missingScope });
		});

		it('lets each key do what its scopes allow, and nothing else', async () => {
			const { readOnly, noUpload, noExtract } = client.environment.keys;
			const allowed = async (key: string) => ({
				read: (await client.api('GET', client.at('/extractions'), { key })).status === 200,
				// Without a file: refused for the form, once the key may upload at all.
				upload: (await client.api('POST', client.at('/documents'), { key })).status === 422,
				extract:
					(await client.api('POST', client.at('/extract'), { key })).status === differs.bulk.status,
			});

			expect(await allowed(readOnly)).toEqual({ read: true, upload: false, extract: false });
			expect(await allowed(noUpload)).toEqual({ read: true, upload: false, extract: true });
			expect(await allowed(noExtract)).toEqual({ read: true, upload: true, extract: false });
		});

		it('does not find a workflow of the other environment', async () => {
			const { live } = client.account.environments;
			const answer = await client.api('GET', client.at('/extractions', live.workflows.main));
			expect(answer).toMatchObject({ status: 404, json: { detail: 'Workflow not found' } });

			const withLiveKey = await client.api('GET', client.at('/extractions'), {
				key: live.keys.full,
			});
			expect(withLiveKey.status).toBe(404);
			const both = await client.api('GET', client.at('/extractions', live.workflows.main), {
				key: live.keys.full,
			});
			expect(both.status).toBe(200);
		});

		it('tells the kinds of keys by their second last part', () => {
			const { test, live } = client.account.environments;
			expect(test.keys.full).toMatch(/^.+_test_[0-9a-f]+$/);
			expect(live.keys.full).toMatch(/^.+_live_[0-9a-f]+$/);
		});
	});

	describe('workflow', () => {
		it('shows columns, collections, stages and whether it extracts', async () => {
			const { status, json } = await client.describeWorkflow();
			expect(status).toBe(200);
			expect(find(json, 'is_extracting')).toBe(false);
			expect(find(json, 'extraction_status')).toBeDefined();
			expect(find(json, 'stages')).toHaveLength(3);
			expect(find(json, 'columns')).toMatchObject(
				client.workflow.columns.map(({ id, prompt }) => ({ column_id: id, prompt })),
			);
			expect(find(json, 'collections')).toMatchObject(
				client.workflow.collections.map(({ id }) => ({ collection_id: id })),
			);
		});
	});

	describe('validation', () => {
		it('keeps page and limit within their bounds', async () => {
			const { status, json } = await client.api('GET', client.at('/extractions?page=0&limit=201'));
			expect(status).toBe(422);
			expect(invalidEntries(json)).toMatchObject([
				{ loc: ['query', 'page'], type: 'greater_than_equal' },
				{ loc: ['query', 'limit'], type: 'less_than_equal' },
			]);

			const notANumber = await client.api('GET', client.at('/extractions?page=two'));
			expect(invalidEntries(notANumber.json)).toMatchObject([
				{ loc: ['query', 'page'], type: 'int_parsing', msg: expect.stringContaining('integer') },
			]);
			expect((await client.api('GET', client.at('/extractions?limit=200'))).status).toBe(200);
			expect((await client.api('GET', client.at('/extractions?limit=1'))).status).toBe(200);
		});

		it('wants a UUID in one of the two filters', async () => {
			const { status, json } = await client.api(
				'GET',
				client.at('/extractions?document_id=one&collection_id=two'),
			);
			expect(status).toBe(422);
			expect(invalidEntries(json)).toMatchObject([
				{ loc: ['query', differs.uuidFilter], type: 'uuid_parsing' },
			]);
		});

		it('checks the types in the body of a bulk extraction', async () => {
			const { status, json } = await client.api('POST', client.at('/extract'), {
				body: { document_ids: 'one', force: 'yes' },
			});
			expect(status).toBe(422);
			expect(invalidEntries(json)).toMatchObject([
				{ loc: ['body', 'document_ids'], type: 'list_type' },
				{ loc: ['body', 'force'], type: 'bool_type' },
			]);
			expect((await service.control.ledger()).extractions).toEqual([]);
		});

		it('names the entry of a list that is wrong', async () => {
			const { json } = await client.api('POST', client.at('/extract'), {
				body: { column_ids: [client.workflow.columns[0].id, false] },
			});
			expect(invalidEntries(json)).toMatchObject([{ loc: ['body', 'column_ids', 1] }]);
		});

		it('refuses a body that is not JSON', async () => {
			const { status, json } = await client.api('POST', client.at('/extract'), {
				body: '{"force": ',
				headers: { 'content-type': 'application/json' },
			});
			expect(status).toBe(422);
			expect(invalidEntries(json)).toMatchObject([{ type: 'json_invalid' }]);
		});

		it('misses fields of its own bodies', async () => {
			const { uploadUrlEndpoint, confirmMethod } = client.account.apiDetails;
			const [method, path] = uploadUrlEndpoint.split(' ');
			const target = path.replace('{workflow_id}', client.workflow.id);

			for (const answer of [
				await client.api(method, target, { body: {} }),
				await client.api(confirmMethod, client.at('/documents/confirm'), { body: {} }),
			]) {
				expect(answer.status).toBe(422);
				expect(invalidEntries(answer.json)[0]).toMatchObject({
					type: 'missing',
					msg: 'Field required',
				});
			}
		});

		it('knows no other paths', async () => {
			const answer = await client.api('GET', '/workflows');
			expect(answer).toMatchObject({ status: 404, json: { detail: 'Not Found' } });
			expect(await service.control.requests()).toMatchObject([
				{ operation: 'unknown', path: '/api/v1/workflows', status: 404 },
			]);
		});
	});

	describe('direct upload', () => {
		it('refuses what is no PDF only when told to', async () => {
			const upload = async (bytes: Buffer, contentType?: string) =>
				await client.upload({ bytes, fileName: 'broken.pdf', contentType });
			const text = Buffer.from('no PDF');
			expect((await upload(text)).status).toBe(differs.uploaded);

			await service.control.settings({ checksPdfs: true });

			expect(await upload(text)).toMatchObject({
				status: 400,
				json: { detail: 'The file is not a PDF' },
			});
			expect((await upload(text, 'text/plain')).status).toBe(differs.uploaded);
			expect((await upload(invoice)).status).toBe(differs.uploaded);
			expect((await service.control.ledger()).uploads).toHaveLength(3);
		});

		it('keeps the very bytes, name and type', async () => {
			const fileName = 'Größe „7-8“ – 貸付.pdf';
			const answer = await client.upload({ bytes: invoice, fileName });
			expect(answer.status).toBe(differs.uploaded);

			const record = {
				documentId: client.documentId(answer),
				workflowId: client.workflow.id,
				environment: 'test',
				method: 'direct',
				fileName,
				contentType: 'application/pdf',
				size: invoice.length,
				sha256: sha256(invoice),
				collectionId: null,
				confirmed: true,
			};
			expect((await service.control.ledger()).uploads).toMatchObject([record]);
			expect(await service.control.requests('upload')).toMatchObject([
				{
					server: 'api',
					method: 'POST',
					status: differs.uploaded,
					body: {
						parts: [
							{
								name: client.account.apiDetails.uploadFileField,
								fileName,
								contentType: 'application/pdf',
								size: invoice.length,
								sha256: sha256(invoice),
							},
						],
					},
				},
			]);
		});

		it('puts the document into a collection, by ID or by name', async () => {
			const [first, second] = client.workflow.collections;
			await client.upload({ bytes: invoice }, { collection_id: first.id });
			await client.upload({ bytes: invoice }, { collection_name: second.name });
			await client.upload({ bytes: invoice }, { collection_name: 'Made just now' });

			const { uploads } = await service.control.ledger();
			expect(uploads).toMatchObject([
				{ collectionId: first.id, collectionName: first.name },
				{ collectionId: second.id, collectionName: second.name },
				{ collectionName: 'Made just now' },
			]);
			expect(find((await client.describeWorkflow()).json, 'collections')).toContainEqual(
				expect.objectContaining({ collection_id: uploads[2].collectionId }),
			);
		});

		it('refuses two collections, an unknown one and a form without the file', async () => {
			const [{ id, name }] = client.workflow.collections;
			const both = await client.upload(
				{ bytes: invoice },
				{ collection_id: id, collection_name: name },
			);
			const unknown = await client.upload(
				{ bytes: invoice },
				{ collection_id: id.replace(/.$/, id.endsWith('0') ? '1' : '0') },
			);
			const form = new FormData();
			form.append('another_field', new Blob([invoice]), 'file.pdf');
			const noFile = await client.api('POST', client.at('/documents'), { body: form });

			expect([both.status, unknown.status, noFile.status]).toEqual([400, 404, 422]);
			expect(invalidEntries(noFile.json)).toMatchObject([
				{ type: 'missing', loc: ['body', client.account.apiDetails.uploadFileField] },
			]);
			expect((await service.control.ledger()).uploads).toEqual([]);
		});

		it('takes several files in one form', async () => {
			const form = new FormData();
			for (const name of ['one.pdf', 'two.pdf']) {
				form.append(client.account.apiDetails.uploadFileField, new Blob([name]), name);
			}
			const { status } = await client.api('POST', client.at('/documents'), { body: form });
			expect(status).toBe(differs.uploaded);
			expect((await service.control.ledger()).uploads).toMatchObject([
				{ fileName: 'one.pdf', size: 7 },
				{ fileName: 'two.pdf', size: 7 },
			]);
		});

		it('forgets an upload that breaks off', async () => {
			const { hostname, port } = new URL(service.url);
			const socket = connect(Number(port), hostname);
			socket.write(
				[
					`POST /api/v1${client.at('/documents')} HTTP/1.1`,
					`Host: ${hostname}`,
					`Authorization: Bearer ${client.environment.keys.full}`,
					'Content-Type: multipart/form-data; boundary=b',
					'Content-Length: 100000',
					'',
					'--b',
					`Content-Disposition: form-data; name="${client.account.apiDetails.uploadFileField}"; filename="half.pdf"`,
					'Content-Type: application/pdf',
					'',
					'half a file',
				].join('\r\n'),
			);
			await until(async () => (await service.control.requests('upload')).length === 1);
			socket.destroy();
			await sleep(100);

			expect((await service.control.ledger()).uploads).toEqual([]);
			expect(await service.control.requests('upload')).toMatchObject([{ status: null }]);
			expect((await client.upload({ bytes: invoice })).status).toBe(differs.uploaded);
		});
	});

	describe('signed upload', () => {
		const grant = async (values = {}) =>
			await client.createUploadUrl({
				file_name: 'signed.pdf',
				content_type: 'application/pdf',
				file_size: invoice.length,
				...values,
			});

		it('makes a document of a file that was put and confirmed', async () => {
			const [{ id, name }] = client.workflow.collections;
			const { answer, url } = await grant({ collection_id: id, collection_name: name });
			expect(answer.status).toBe(differs.urlCreated);
			expect(new URL(url).origin).toBe(service.storageUrl);

			const put = await client.put(url, invoice);
			expect(put).toMatchObject({ status: 200, text: '' });
			const documentId = client.documentId(answer);
			const record = {
				documentId,
				method: 'signed',
				fileName: 'signed.pdf',
				sha256: sha256(invoice),
				collectionId: differs.uploadUrlCollection === 'none' ? null : id,
			};
			expect((await service.control.ledger()).uploads).toMatchObject([
				{ ...record, confirmed: false },
			]);

			const confirmed = await client.confirm(documentId);
			expect(confirmed.status).toBe(differs.confirmed);
			const ledger = await service.control.ledger();
			expect(ledger.uploads).toMatchObject([{ ...record, confirmed: true }]);
			expect(ledger.confirmations).toMatchObject([{ documentIds: [documentId] }]);
			expect(ledger.uploadUrls).toMatchObject([{ documentId, fileName: 'signed.pdf' }]);
		});

		it('confirms nothing that has not arrived', async () => {
			const { answer } = await grant();
			const refused = await client.confirm(client.documentId(answer));
			expect(refused.status).toBe(400);
			expect(refused.json).toEqual({ detail: expect.stringContaining('not been uploaded') });
			expect((await service.control.ledger()).confirmations).toEqual([]);
		});

		it('extracts nothing that is not confirmed', async () => {
			const { answer, url } = await grant();
			await client.put(url, invoice);
			const documentId = client.documentId(answer);

			expect((await client.api('POST', client.at('/extract'))).status).toBe(differs.bulk.status);
			const named = await client.api('POST', client.at('/extract'), {
				body: { document_ids: [documentId] },
			});
			const single = await client.api(
				'POST',
				client.at(`/documents/${encodeURIComponent(documentId)}/extract`),
			);
			expect([named.status, single.status]).toEqual([400, 400]);
			expect((await service.control.ledger()).extractions).toMatchObject([{ documentIds: [] }]);
		});

		it.each([
			['a chunked body', 501, 'NotImplemented'],
			['an Authorization header', 400, 'InvalidArgument'],
			['another Content-Type', 403, 'SignatureDoesNotMatch'],
			['a changed signature', 403, 'SignatureDoesNotMatch'],
			['no signature', 403, 'AccessDenied'],
			['another object', 403, 'SignatureDoesNotMatch'],
		])('refuses %s', async (kind, status, code) => {
			const { url } = await grant();
			const chunked = () =>
				client.send(url, {
					method: 'PUT',
					headers: { 'content-type': 'application/pdf' },
					body: Readable.from([invoice]),
				});
			const attempts: Record<string, () => ReturnType<typeof chunked>> = {
				'a chunked body': chunked,
				'an Authorization header': () => client.put(url, invoice, { authorization: 'Bearer x' }),
				'another Content-Type': () => client.put(url, invoice, { 'content-type': 'image/png' }),
				'a changed signature': () => client.put(url.replace(/.$/, '!'), invoice),
				'no signature': () => client.put(url.split('?')[0], invoice),
				'another object': () => client.put(url.replace('/documents/', '/documents/0'), invoice),
			};

			const answer = await attempts[kind]();
			expect(answer.status).toBe(status);
			expect(answer.headers['content-type']).toContain('application/xml');
			expect(answer.text).toContain(`<Code>${code}</Code>`);
			expect((await service.control.ledger()).uploads).toEqual([]);
			expect((await client.put(url, invoice)).status).toBe(200);
		});

		it('refuses a body without a length', async () => {
			const { url } = await grant();
			const { hostname, port, pathname, search } = new URL(url);
			const socket = connect(Number(port), hostname);
			socket.end(
				[
					`PUT ${pathname}${search} HTTP/1.1`,
					`Host: ${hostname}`,
					'Content-Type: application/pdf',
					'Connection: close',
					'',
					'',
				].join('\r\n'),
			);
			const answer = await text(socket);
			expect(answer).toMatch(/^HTTP\/1.1 411 /);
			expect(answer).toContain('<Code>MissingContentLength</Code>');
		});

		it('refuses another size where the size was signed', async () => {
			const { url } = await grant();
			const { status } = await client.put(url, invoice.subarray(1));
			expect(status).toBe(differs.signsSize ? 403 : 200);
		});

		it('refuses an address that was used or is too old', async () => {
			const { url } = await grant();
			const atOnce = await Promise.all([client.put(url, invoice), client.put(url, invoice)]);
			expect(atOnce.map(({ status }) => status).sort()).toEqual([200, 403]);
			const again = await client.put(url, invoice);
			expect(again.status).toBe(403);
			expect(again.text).toContain('used already');

			await service.control.settings({ uploadUrlLifetimeMs: 0 });
			const late = await client.put((await grant()).url, invoice);
			expect(late.status).toBe(403);
			expect(late.text).toContain('Request has expired');
			expect((await service.control.ledger()).uploads).toHaveLength(1);
		});

		it('forgets a file that breaks off, and takes it at the next try', async () => {
			const { url } = await grant();
			const { hostname, port, pathname, search } = new URL(url);
			const socket = connect(Number(port), hostname);
			socket.write(
				[
					`PUT ${pathname}${search} HTTP/1.1`,
					`Host: ${hostname}`,
					'Content-Type: application/pdf',
					`Content-Length: ${invoice.length}`,
					'',
					'half a file',
				].join('\r\n'),
			);
			await until(async () => (await service.control.requests('putFile')).length === 1);
			socket.destroy();
			await sleep(100);

			expect((await service.control.ledger()).uploads).toEqual([]);
			expect((await client.put(url, invoice)).status).toBe(200);
		});

		it('takes an empty file, and a file of any name and type', async () => {
			const description = {
				file_name: '"a"\r\n/b.txt',
				content_type: 'text/x;a="b"',
				file_size: 0,
			};
			const { url } = await grant(description);
			const put = await client.put(url, '', { 'content-type': description.content_type });
			expect(put.status).toBe(200);
			expect((await service.control.ledger()).uploads).toMatchObject([
				{ fileName: description.file_name, contentType: description.content_type, size: 0 },
			]);
		});

		it('lets a browser of another origin put the file', async () => {
			const { url } = await grant();
			const preflight = await client.send(url, {
				method: 'OPTIONS',
				headers: {
					origin: 'https://shop.example',
					'access-control-request-method': 'PUT',
					'access-control-request-headers': 'content-type',
				},
			});
			expect(preflight.status).toBe(204);
			expect(preflight.headers['access-control-allow-methods']).toContain('PUT');
			expect(preflight.headers['access-control-allow-headers']).toContain('content-type');

			const put = await client.put(url, invoice, { origin: 'https://shop.example' });
			expect(put.status).toBe(200);
			expect(put.headers['access-control-allow-origin']).toBe('*');
		});
	});

	describe('extraction', () => {
		const cases: Array<[string, Record<string, unknown>, string[]]> = [
			[
				'invoice-harbour-supplies.pdf',
				{
					'Document number': 'HS-2024-0417',
					Supplier: 'Harbour Office Supplies Ltd',
					'Document date': '2024-03-14',
					Total: 641.28,
					Currency: 'GBP',
					Reference: 'PO-77120',
				},
				['PA-480', 'IN-210', 'CH-033', 'LB-115'],
			],
			[
				'purchase-order-larkfield.pdf',
				{
					'Document number': 'PO-78003',
					Supplier: 'Brightwell Packaging Inc.',
					'Document date': '2024-04-02',
					Total: 8726,
					Currency: 'USD',
					Reference: 'Q-5518',
				},
				['BX-600', 'BX-300', 'TP-050', 'FM-020', 'PL-120'],
			],
			[
				'delivery-note-brightwell.pdf',
				{
					'Document number': 'DN-90442',
					Supplier: 'Brightwell Packaging Inc.',
					'Document date': '2024-04-26',
					Total: null,
					Currency: null,
					Reference: 'PO-78003',
				},
				['BX-600', 'BX-300', 'TP-050', 'FM-020'],
			],
			[
				'rechnung-mueller-soehne.pdf',
				{
					'Document number': 'RE-24/1093-Ä',
					Supplier: 'Müller & Söhne Bürobedarf GmbH',
					'Document date': '2024-05-02',
					Total: 2539.46,
					Currency: 'EUR',
					Reference: 'Zoë-Terrasse',
				},
				['T-701', 'S-220', 'K-018'],
			],
		];

		it.each(cases)('finds the values in %s', async (fileName, values, articles) => {
			const documentId = await client.uploadedId({ bytes: sample(fileName), fileName });
			await client.api('POST', client.at('/extract'));

			const items = await client.resultsOf(documentId);
			expect(items).toHaveLength(differs.rowsPerDocument);
			const { 'Line items': lines, ...rest } = valuesOf(client.account, items);
			expect(rest).toEqual(values);
			expect((lines as object[]).map((line) => Object.values(line)[0])).toEqual(articles);
			expect(find(items, client.account.apiDetails.documentIdField.split('.').at(-1) ?? '')).toBe(
				documentId,
			);
		});

		it('reads a text file, finds nothing in an image, and fails on a broken PDF', async () => {
			const letter = 'Order number: 4711\nTotal:  1’204.50\n\nLine items\nItem  Count\nNut  3\n\nx';
			const ids = [
				await client.uploadedId({ bytes: letter, contentType: 'text/plain' }),
				await client.uploadedId({ bytes: 'no text', contentType: 'image/png' }),
				await client.uploadedId({ bytes: '%PDF-1.7 broken' }),
			];
			await client.api('POST', client.at('/extract'));

			const text = valuesOf(client.account, await client.resultsOf(ids[0]));
			expect(text).toMatchObject({
				'Document number': '4711',
				Total: 1204.5,
				'Line items': [{ Item: 'Nut', Count: '3' }],
			});
			const image = valuesOf(client.account, await client.resultsOf(ids[1]));
			expect(Object.values(image)).toEqual(Array(7).fill(null));
			expect((await client.resultsPage({ document_id: ids[2] })).total).toBe(0);
		});

		it('gives the address of each file, which needs no key', async () => {
			const documentId = await client.uploadedId({ bytes: invoice });
			await client.api('POST', client.at('/extract'));
			const [item] = await client.resultsOf(documentId);
			const url = String(
				find(item, { atlas: 'file_url', borealis: 'href', cobalt: 'url' }[profile]),
			);

			const file = await client.send(url, { method: 'GET' });
			expect(file.status).toBe(200);
			expect(file.bytes.equals(invoice)).toBe(true);
			const withKey = await client.api('GET', url);
			expect(withKey.status).toBe(400);
		});

		it('answers a bulk extraction without data', async () => {
			for (const body of [undefined, 'null', {}, { force: true }]) {
				const answer = await client.api('POST', client.at('/extract'), {
					body,
					headers: body === 'null' ? { 'content-type': 'application/json' } : {},
				});
				expect(answer).toMatchObject(differs.bulk);
			}
		});

		it('extracts what is open, once, and again only when forced', async () => {
			const ids = [
				await client.uploadedId({ bytes: invoice }),
				await client.uploadedId({ bytes: invoice }),
			];
			const extract = async (body?: object) =>
				await client.api('POST', client.at('/extract'), { body });

			await extract();
			await extract();
			await client.resultsOf(ids[1]);
			await extract();
			await extract({ document_ids: [ids[1]], force: true });

			const { extractions } = await service.control.ledger();
			expect(extractions.map(({ documentIds }) => documentIds)).toEqual([ids, [], [], [ids[1]]]);
			expect(extractions.map(({ requested }) => requested)).toEqual([
				null,
				null,
				null,
				{ document_ids: [ids[1]], force: true },
			]);
		});

		it('limits the extraction to documents, a collection and columns', async () => {
			const [first, second] = client.workflow.collections;
			const inFirst = await client.uploadedId({ bytes: invoice }, { collection_id: first.id });
			const inSecond = await client.uploadedId({ bytes: invoice }, { collection_id: second.id });
			const column = client.workflow.columns[3];

			await client.api('POST', client.at('/extract'), {
				body: { collection_id: second.id, column_ids: [column.id] },
			});
			const values = valuesOf(client.account, await client.resultsOf(inSecond));
			expect(values).toEqual({ Total: 641.28 });
			expect((await client.resultsPage({ document_id: inFirst })).total).toBe(0);

			// The rest of the columns is still open.
			await client.api('POST', client.at('/extract'), { body: { document_ids: [inSecond] } });
			await until(
				async () =>
					Object.keys(valuesOf(client.account, await client.resultsOf(inSecond))).length === 7,
			);
		});

		it('does not know foreign documents and columns', async () => {
			const documentId = await client.uploadedId({ bytes: invoice });
			const digit = documentId.at(-1) === '0' ? '1' : '0';
			const foreign = `${documentId.slice(0, -1)}${digit}`;

			const unknown = await client.api('POST', client.at('/extract'), {
				body: { document_ids: [documentId, foreign] },
			});
			expect(unknown.status).toBe(differs.unknownDocument);
			const foreignColumn = {
				atlas: '2e57d6a0-0000-4000-a000-000000000000',
				borealis: 'col_00000000',
				cobalt: 999,
			};
			const column = await client.api('POST', client.at('/extract'), {
				body: { column_ids: [foreignColumn[profile]] },
			});
			expect(column.status).toBe(422);
			const single = await client.api(
				'POST',
				client.at(`/documents/${encodeURIComponent(foreign)}/extract`),
			);
			expect(single).toMatchObject({ status: 404, json: { detail: 'Document not found' } });
			expect((await service.control.ledger()).extractions).toEqual([]);
		});

		it('extracts a single document', async () => {
			const documentId = await client.uploadedId({ bytes: invoice });
			const other = await client.uploadedId({ bytes: invoice });
			const answer = await client.api(
				'POST',
				client.at(`/documents/${encodeURIComponent(documentId)}/extract`),
			);
			expect(answer.status).toBe(differs.single);
			await client.resultsOf(documentId);
			expect((await client.resultsPage({ document_id: other })).total).toBe(0);
			expect((await service.control.ledger()).extractions).toMatchObject([
				{ kind: 'single', documentIds: [documentId], requested: null },
			]);
		});

		it('lists thousands of documents', async () => {
			await service.control.seed({ documents: 2_500 });
			const query = profile === 'atlas' ? '?limit=200&page=13' : '';
			const { json } = await client.api('GET', client.at(`/documents${query}`));
			expect(documentsIn(json)).toHaveLength(profile === 'atlas' ? 100 : 2_500);
			expect(JSON.stringify(documentsIn(json).at(-1))).toContain('SEED-2500.pdf');
		});

		it('lists documents with their status', async () => {
			const documentId = await client.uploadedId({ bytes: invoice });
			await client.api('POST', client.at('/extract'));
			await client.resultsOf(documentId);
			await client.uploadedId({ bytes: invoice });

			const { status, json } = await client.api('GET', client.at('/documents'));
			expect(status).toBe(200);
			const entries = documentsIn(json);
			expect(entries).toHaveLength(2);
			expect(client.documentId({ json: entries[0] } as never)).toBe(documentId);
			expect(find(entries[0], 'extraction_status')).toBe(differs.finished);
			expect(find(entries[1], 'extraction_status')).not.toBe(differs.finished);
		});
	});

	describe('results', () => {
		it('have the values of columns where the API Details say, in a form of its own', async () => {
			await service.control.seed({ extractionsPerDocument: differs.rowsPerDocument });
			const { items } = await client.resultsPage();
			expect(valuesOf(client.account, items)).toEqual({
				'Document number': 'SEED-1',
				Supplier: 'SEED-1',
				'Document date': '2024-01-02',
				Total: 1.5,
				Currency: 'SEED-1',
				Reference: 'SEED-1',
				'Line items': [{ Item: 'SEED-1', Quantity: '1' }],
			});
			expect(at(items[0], client.account.apiDetails.valuesField)).toEqual(differs.valuesForm);
		});

		it('pages through a stable list', async () => {
			const { documentIds } = await service.control.seed({ documents: 5, prefix: 'ROW' });
			expect(documentIds).toHaveLength(5);

			expect(await client.resultsPage()).toMatchObject({ total: 5, page: 1, limit: 50, pages: 1 });
			const pages = [];
			for (const page of [1, 2, 3, 4]) pages.push(await client.resultsPage({ page, limit: 2 }));
			expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1, 0]);
			expect(pages.every(({ total, pages }) => total === 5 && pages === 3)).toBe(true);
			const all = await client.resultsPage();
			expect(pages.flatMap(({ items }) => items)).toEqual(all.items);
		});

		it('filters by document and by collection', async () => {
			const [first, second] = client.workflow.collections;
			await service.control.seed({ documents: 3, collection: first.id });
			const { documentIds } = await service.control.seed({
				documents: 2,
				collection: second.id,
				extractionsPerDocument: 4,
			});

			expect((await client.resultsPage({ document_id: documentIds[0] })).total).toBe(4);
			expect((await client.resultsPage({ collection_id: second.id })).total).toBe(8);
			const neither = { document_id: documentIds[0], collection_id: first.id };
			expect(await client.resultsPage(neither)).toMatchObject({ total: 0, pages: 0, items: [] });
		});

		it('holds 50,000 rows', async () => {
			await service.control.seed({ documents: 500, extractionsPerDocument: 100 });
			const last = await client.resultsPage({ page: 250, limit: 200 });
			expect(last).toMatchObject({ total: 50_000, pages: 250 });
			expect(JSON.stringify(last.items.at(-1))).toContain('"SEED-500/');
		});
	});

	describe('merging', () => {
		const merge = async (collectionId: string, body?: unknown) =>
			await client.api(
				'POST',
				client.at(`/collections/${encodeURIComponent(collectionId)}/merged-document`),
				{ body },
			);

		const mergedPdf = async (answer: Answer) => {
			switch (profile) {
				case 'atlas':
					return answer;
				case 'borealis':
					return await client.send(String(find(answer.json, 'href')), { method: 'GET' });
				case 'cobalt':
					return await client.api('GET', String(find(answer.json, 'url')));
			}
		};

		it('puts the PDFs of a collection together, in its order or in one that is asked for', async () => {
			const [, collection, other] = client.workflow.collections;
			const into = { collection_id: collection.id };
			const ids = [];
			for (const [index, widths] of [[100, 110], [200], [300]].entries()) {
				ids.push(
					await client.uploadedId(
						{ bytes: await pdfOfWidths(...widths), fileName: `${index}.pdf` },
						into,
					),
				);
			}
			await client.upload({ bytes: 'text', contentType: 'text/plain', fileName: 'n.txt' }, into);
			await client.upload(
				{ bytes: await pdfOfWidths(900), fileName: 'other.pdf' },
				{ collection_id: other.id },
			);

			const asTheyCame = await merge(collection.id);
			expect(asTheyCame.status).toBe(profile === 'borealis' ? 201 : 200);
			const pdf = await mergedPdf(asTheyCame);
			expect(await pageWidths(pdf.bytes)).toEqual([100, 110, 200, 300]);
			expect(pdf.headers['content-type']).toBe('application/pdf');
			expect(pdf.headers['content-disposition']).toContain(
				`filename*=UTF-8''${encodeURIComponent(`${collection.name}.pdf`)}`,
			);

			const order = {
				atlas: [ids[2], ids[0]],
				borealis: ['2.pdf', '0.pdf'],
				cobalt: { [ids[0]]: 2, [ids[2]]: 1 },
			}[profile];
			const reordered = await mergedPdf(await merge(collection.id, { label_order: order }));
			expect(await pageWidths(reordered.bytes)).toEqual([300, 100, 110, 200]);

			expect((await service.control.ledger()).merges).toMatchObject([
				{ collectionId: collection.id, labelOrder: null, pages: 4, documentIds: ids },
				{
					labelOrder: order,
					pages: 4,
					documentIds: [ids[2], ids[0], ids[1]],
					sha256: sha256(reordered.bytes),
					size: reordered.bytes.length,
				},
			]);
		});

		it('refuses an empty collection, an unknown one and unknown labels', async () => {
			const [collection] = client.workflow.collections;
			const into = { collection_id: collection.id };
			await client.upload({ bytes: 'text', contentType: 'text/plain' }, into);
			expect(await merge(collection.id)).toMatchObject({
				status: 400,
				json: { detail: 'The collection has no PDF' },
			});
			expect(await merge('2e57d6a0-0000-4000-a000-000000000000')).toMatchObject({
				status: 404,
				json: { detail: 'Collection not found' },
			});

			await client.upload({ bytes: await pdfOfWidths(100) }, into);
			const order = profile === 'cobalt' ? { 'no such label': 1 } : ['no such label'];
			const unknown = await merge(collection.id, { label_order: order });
			expect(unknown.status).toBe(422);
			expect(invalidEntries(unknown.json)).toMatchObject([{ loc: ['body', 'label_order'] }]);
			const wrongType = await merge(collection.id, { label_order: 7 });
			expect(wrongType.status).toBe(422);
			expect((await service.control.ledger()).merges).toEqual([]);
		});

		it('hands a merged document only to who may have it', async () => {
			const [collection] = client.workflow.collections;
			await client.upload({ bytes: await pdfOfWidths(100) }, { collection_id: collection.id });
			const answer = await merge(collection.id);
			const address = find(answer.json, 'href') ?? find(answer.json, 'url');
			const url = address === undefined ? null : String(address);

			const statuses = url && {
				inStorage: url.startsWith(service.storageUrl),
				withKey: (await client.api('GET', url)).status,
				withoutKey: (await client.api('GET', url, { key: null })).status,
			};
			expect(statuses).toEqual(differs.mergedAddress);
		});
	});
});
