import { disagreements } from '../dev/service/openApi/agreement';
import { sample } from './support/files';
import { PROFILES } from './support/profiles';
import { at, fill, fillPath, until } from './support/serviceClient';
import { useService } from './support/useService';

const { data: pdf } = sample('invoice-harbour-supplies.pdf');

type Json = Record<string, unknown>;

const forms = {
	atlas: {
		version: ['openapi', '3.1.0'],
		path: '/openapi.json',
		file: {
			at: 'paths./api/v1/workflows/{workflow_id}/documents.post.requestBody.content.multipart/form-data.schema.properties.file',
			is: { type: 'string', contentMediaType: 'application/octet-stream' },
		},
	},
	borealis: {
		version: ['openapi', '3.0.3'],
		path: '/docs/api.json',
		file: {
			at: 'components.schemas.uploadForm.properties.documents',
			is: { type: 'array', items: { type: 'string', format: 'binary' } },
		},
	},
	cobalt: {
		version: ['swagger', '2.0'],
		path: '/swagger.json',
		file: {
			at: 'paths./workflows/{workflow_id}/documents.post.parameters[1]',
			is: { name: 'payload[file]', in: 'formData', required: true, type: 'file' },
		},
	},
};

describe.each(PROFILES)('the OpenAPI document of %s', (profile) => {
	const used = useService({ profile, extractionMs: 20, startMs: 20 });
	const form = forms[profile];

	async function read() {
		const { status, json } = await used.client.send(used.client.account.openApiUrl, {
			method: 'GET',
		});
		return { status, document: json as Json };
	}

	/** Everything that the interface offers, and every kind of refusal. */
	async function useAll() {
		const { client, service } = used;
		const { keys } = client.environment;
		const [collection] = client.workflow.collections;
		const into = { collection_id: collection.id };
		const upload = async (fields = {}) => await client.uploadedId({ bytes: pdf }, fields);

		await client.describeWorkflow();
		const documentId = await upload(into);
		await upload({ collection_name: 'A new one' });
		await upload();
		const { answer, url } = await client.createUploadUrl({
			file_name: 'a.pdf',
			content_type: 'application/pdf',
			file_size: pdf.length,
			...into,
			collection_name: collection.name,
		});
		await client.put(url, pdf);
		await client.confirm(client.documentId(answer));

		const extract = async (body?: unknown) =>
			await client.api('POST', client.at('/extract'), { body });
		await extract();
		await extract({});
		await extract({
			document_ids: [documentId],
			collection_id: collection.id,
			column_ids: client.workflow.columns.map(({ id }) => id),
			force: true,
		});
		await extract({ document_ids: null, collection_id: null, column_ids: null });
		const one = client.at(`/documents/${encodeURIComponent(documentId)}/extract`);
		await client.api('POST', one);
		await client.api('POST', one, { body: {} });
		await until(async () => {
			const { total } = await client.resultsPage();
			return total >= (profile === 'borealis' ? 28 : 4);
		});
		await client.resultsPage({ page: 1, limit: 2, document_id: documentId });
		await client.resultsPage({ collection_id: profile === 'borealis' ? 'deal' : collection.id });
		await client.api('GET', client.at('/documents'));
		await client.describeWorkflow();

		const merge = client.at(`/collections/${encodeURIComponent(collection.id)}/merged-document`);
		const merged = await client.api('POST', merge, { body: { label_order: null } });
		if (profile === 'cobalt')
			await client.api('GET', String(at(merged.json, 'payload.download.url')));

		const list = client.at('/extractions');
		await client.api('GET', list, { key: null });
		await client.api('GET', list, { key: 'unknown' });
		await client.api('POST', client.at('/extract'), { key: keys.noExtract });
		await client.api('GET', '/workflows/unknown/extractions');
		await client.api('GET', `${list}?page=0`);
		await extract({ force: 'yes' });
		await client.confirm('unknown');
		await client.upload({ bytes: pdf }, { ...into, collection_name: 'Both' });
		await service.control.settings({ rate: { limit: 1, windowMs: 600_000 } });
		await client.resultsPage();
		await client.resultsPage();
		return await service.control.requests();
	}

	it('is read without a key, where the account says, in the form of its own', async () => {
		expect(used.client.account.openApiUrl).toBe(used.service.url + form.path);
		const { status, document } = await read();
		expect(status).toBe(200);
		const [name, version] = form.version;
		expect(document[name]).toBe(version);
		expect(at(document, form.file.at)).toEqual(form.file.is);
	});

	it('agrees with what the service does, and would be found out if it did not', async () => {
		const { document } = await read();
		const requests = await useAll();
		const statuses = new Set(requests.map(({ status }) => status));
		expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404, 422, 429]));
		expect(disagreements(document, requests)).toEqual([]);

		const fileField = JSON.stringify(used.client.account.apiDetails.uploadFileField);
		const lies = [
			['"is_extracting"', '"extracting"', "required property 'extracting'"],
			['/merged-document', '/merged', '/merged-document is not documented'],
			['"force":{"type":"boolean"}', '"force":{"type":"string"}', 'request body /force must be'],
			['"429":', '"430":', '429: the status is not documented'],
			[fileField, '"another"', "request body  must have required property 'another'"],
		];
		for (const [truth, lie, complaint] of lies) {
			const text = JSON.stringify(document);
			const changed = text.replaceAll(truth, lie);
			expect(changed).not.toBe(text);
			expect(disagreements(JSON.parse(changed), requests).join('\n')).toContain(complaint);
		}
	});

	it('requires nothing less than the service does', async () => {
		const { document } = await read();
		const { uploadUrlEndpoint, uploadUrlBody, confirmBody, confirmMethod } =
			used.client.account.apiDetails;
		const values = {
			workflow_id: used.client.workflow.id,
			file_name: 'a.pdf',
			content_type: 'application/pdf',
			file_size: 6,
		};
		/** Wherever the document has it: bodies of one dialect stand in their operations. */
		const bodySchema = (operation: string) =>
			(at(document, `definitions.${operation}Body`) ??
				at(document, `components.schemas.${operation}Body`) ??
				bodyOf(document, operation)) as Json;

		const [method, path] = uploadUrlEndpoint.split(' ');
		const created = await used.client.api(method, fillPath(path, values), {
			body: onlyRequired(fill(JSON.parse(uploadUrlBody), values), bodySchema('CreateUploadUrl')),
		});
		expect(created.status).toBeLessThan(300);
		const put = at(created.json, used.client.account.apiDetails.uploadUrlField);
		await used.client.put(String(put), 'a file');
		const confirmed = await used.client.api(confirmMethod, used.client.at('/documents/confirm'), {
			body: onlyRequired(
				fill(JSON.parse(confirmBody), { document_id: used.client.documentId(created) }),
				bodySchema('Confirm'),
			),
		});
		expect(confirmed.status).toBeLessThan(300);
	});
});

function bodyOf({ paths }: Json, operation: string): unknown {
	const operations = Object.values(paths as Json).flatMap((path) => Object.values(path as Json));
	const described = operations.find(
		(one) => at(one, 'operationId') === operation[0].toLowerCase() + operation.slice(1),
	);
	return at(described, 'requestBody.content.application/json.schema');
}

/** What the schema requires of a value, and nothing else of it. */
function onlyRequired(value: unknown, schema: Json): unknown {
	if (Array.isArray(value)) return value.map((entry) => onlyRequired(entry, schema.items as Json));
	if (typeof value !== 'object' || value === null) return value;
	const properties = schema.properties as Record<string, Json>;
	return Object.fromEntries(
		(schema.required as string[]).map((name) => [
			name,
			onlyRequired((value as Json)[name], properties[name]),
		]),
	);
}
