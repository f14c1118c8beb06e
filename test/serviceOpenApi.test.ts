import { PROFILES } from './support/profiles';
import { at, fill, fillPath } from './support/serviceClient';
import { useService } from './support/useService';

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

	it('is read without a key, where the account says, in the form of its own', async () => {
		expect(used.client.account.openApiUrl).toBe(used.service.url + form.path);
		const { status, document } = await read();
		expect(status).toBe(200);
		const [name, version] = form.version;
		expect(document[name]).toBe(version);
		expect(at(document, form.file.at)).toEqual(form.file.is);
	});

	it('declares all that the account is read by', async () => {
		const { document } = await read();
		const { uploadUrlField, uploadHeadersField, documentIdField } = used.client.account.apiDetails;
		const paths = [uploadUrlField, uploadHeadersField, documentIdField].join('.');
		const names = paths.match(/[a-z]\w*/g) ?? [];
		const text = JSON.stringify(document);
		expect(names.filter((name) => !text.includes(`"${name}":`))).toEqual([]);
	});

	it('requires nothing less than the service does', async () => {
		const { document } = await read();
		const { apiDetails } = used.client.account;
		const { uploadUrlEndpoint, uploadUrlBody, uploadHeadersField, confirmBody, confirmMethod } =
			apiDetails;
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
		const put = at(created.json, apiDetails.uploadUrlField);
		const asked = uploadHeadersField ? at(created.json, uploadHeadersField) : {};
		await used.client.put(String(put), 'a file', asked as Record<string, string>);
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
