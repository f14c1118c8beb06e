import type { INodeParameters } from 'n8n-workflow';
import { itemWith } from '../support/binary';
import { textFile } from '../support/files';
import { useService } from '../support/useService';

const FILE = textFile('letter "1".txt', '0123456789');

describe('API Details with placeholders', () => {
	const used = useService({ profile: 'atlas' });

	/** The service does not know all of these forms; what counts is how they reach it. */
	const requestsOf = async (parameters: INodeParameters, credential: object, files = [FILE]) => {
		await used.run(
			{ resource: 'document', ...parameters },
			{ credential, items: [await itemWith(...files)] },
		);
		return await used.control.requests();
	};

	const uploadUrlRequest = async (credential: object, options: INodeParameters = {}) => {
		const [request] = await requestsOf(
			{
				operation: 'createUploadUrl',
				fileName: FILE.fileName,
				contentType: FILE.mimeType,
				options: { fileSize: FILE.data.length, ...options },
			},
			credential,
		);
		return request;
	};

	it.each([
		['{"size": "{file_size}"}', { size: 10 }],
		['{"name": "{{ file_name }}"}', { name: 'letter "1".txt' }],
		['{"text": "{file_name}: {file_size} bytes"}', { text: 'letter "1".txt: 10 bytes' }],
		['{"type": "{content_type}", "flow": "{workflow_id}"}', { type: 'text/plain', flow: 'W' }],
		['{"a": 1, "b": null, "c": true, "d": "{}"}', { a: 1, b: null, c: true, d: '{}' }],
		['{"name": "{file_name}", "in": "{collection_id}"}', { name: 'letter "1".txt' }],
		['{"x": {"in": "{collection_name}"}, "y": ["{collection_id}", 1]}', { x: {}, y: [1] }],
		['{"in": "collection {collection_id}", "n": 1}', { n: 1 }],
		['[{"files": ["{file_name}"]}, "{file_size}"]', [{ files: ['letter "1".txt'] }, 10]],
		// An endpoint that takes none.
		['', null],
	])('fill the body %s', async (uploadUrlBody, expected) => {
		const { body, headers } = await uploadUrlRequest({ uploadUrlBody });

		const filled = JSON.stringify(expected).replace('"W"', `"${used.client.workflow.id}"`);
		expect(body).toEqual(JSON.parse(filled));
		expect(headers['content-type']).toBe(expected ? 'application/json' : undefined);
	});

	it.each([
		['POST /workflows/{workflow_id}/documents/upload-urls', 'POST', ''],
		['post /api/v1/workflows/{workflow_id}/documents/upload-urls', 'POST', ''],
		['PUT   /workflows/{workflow_id}/documents/upload-urls?n={file_name}', 'PUT', 'letter "1".txt'],
	])('fill the endpoint %s', async (uploadUrlEndpoint, method, name) => {
		const request = await uploadUrlRequest({ uploadUrlEndpoint });

		expect(request).toMatchObject({
			method,
			path: `/api/v1/workflows/${used.client.workflow.id}/documents/upload-urls`,
			query: name ? { n: name } : {},
		});
	});

	it('carry a collection wherever one of them has a place for it', async () => {
		const { query } = await uploadUrlRequest(
			{
				uploadUrlEndpoint:
					'POST /workflows/{workflow_id}/documents/upload-urls?to={collection_name}',
				uploadUrlBody: '{"name": "{file_name}"}',
			},
			{ collection: { __rl: true, mode: 'name', value: 'Deal & more' } },
		);

		expect(query).toEqual({ to: 'Deal & more' });
	});

	describe('that confirm', () => {
		const IDS = ['doc_1', 'doc_2'];
		const confirm = async (confirmBody: string, parameters: INodeParameters = {}) => {
			await used.fault('confirm', { type: 'status', status: 200 });
			const requests = await requestsOf(
				{ operation: 'confirmUpload', documentIds: IDS.join(), ...parameters },
				{ confirmBody },
			);
			return requests.map(({ body }) => body);
		};

		it.each([
			['["{document_id}"]', IDS],
			['{"ids": ["{document_id}"], "by": "n8n"}', { ids: IDS, by: 'n8n' }],
			[
				'{"a": {"b": [{"id": "{document_id}", "is": ["done"]}]}}',
				{ a: { b: IDS.map((id) => ({ id, is: ['done'] })) } },
			],
			[
				'{"ids": ["{document_id}"], "docs": [{"id": "doc {document_id}"}]}',
				{ ids: IDS, docs: IDS.map((id) => ({ id: `doc ${id}` })) },
			],
		])('repeat a list for each document: %s', async (confirmBody, body) => {
			expect(await confirm(confirmBody)).toEqual([body]);
		});

		it.each<[string, object[]]>([
			['{"id": "{document_id}"}', IDS.map((id) => ({ id }))],
			['{"{document_id}": {"done": true}}', IDS.map((id) => ({ [id]: { done: true } }))],
			['{"ids": ["{document_id}", "end"]}', IDS.map((id) => ({ ids: [id, 'end'] }))],
			[
				'{"ids": ["{document_id}"], "first": "{document_id}"}',
				IDS.map((id) => ({ ids: [id], first: id })),
			],
		])('are sent for each document where no list can name them all: %s', async (body, bodies) => {
			const sent = await confirm(body);

			expect(sent).toHaveLength(bodies.length);
			expect(sent).toEqual(expect.arrayContaining(bodies));
		});

		it('name the line if a value is missing beside the ID', async () => {
			const { error } = await used.run(
				{ resource: 'document', operation: 'confirmUpload', documentIds: IDS.join() },
				{ credential: { confirmBody: '{"key": "{document_id}/{file_name}"}' } },
			);

			expect(error?.message).toContain('contains {file_name}, for which this node has no usable');
			expect(await used.control.requests()).toEqual([]);
		});

		it('name the file and its collection as the fields say', async () => {
			const sent = await confirm(
				JSON.stringify({
					docs: [{ id: '{document_id}', n: '{file_name}', t: '{content_type}', s: '{file_size}' }],
					in: '{collection_name}',
				}),
				{
					options: {
						fileName: 'a.pdf',
						contentType: 'application/pdf',
						fileSize: 7,
						collection: { __rl: true, mode: 'name', value: 'Loan file' },
					},
				},
			);

			expect(sent).toEqual([
				{
					docs: IDS.map((id) => ({ id, n: 'a.pdf', t: 'application/pdf', s: 7 })),
					in: 'Loan file',
				},
			]);
		});

		it.each<[string, (ids: string[]) => object[]]>([
			[
				'{"docs": [{"id": "{document_id}", "name": "{file_name}"}]}',
				(ids) => [{ docs: ids.map((id, index) => ({ id, name: `${index}.txt` })) }],
			],
			[
				'{"ids": ["{document_id}"], "name": "{file_name}"}',
				(ids) => ids.map((id, index) => ({ ids: [id], name: `${index}.txt` })),
			],
		])('never give a document the name of another: %s', async (confirmBody, bodiesFor) => {
			const requests = await requestsOf(
				{
					operation: 'upload',
					binaryPropertyName: '*',
					options: { uploadMethod: 'signed' },
				},
				{ confirmBody },
				[textFile('0.txt'), textFile('1.txt')],
			);

			const { uploads } = await used.control.ledger();
			const byName = uploads.sort((a, b) => a.fileName.localeCompare(b.fileName));
			const bodies = bodiesFor(byName.map(({ documentId }) => documentId));
			const confirmations = requests.filter(({ operation }) => operation === 'confirm');
			expect(confirmations.map(({ body }) => body)).toEqual(expect.arrayContaining(bodies));
			expect(confirmations).toHaveLength(bodies.length);
		});
	});
});
