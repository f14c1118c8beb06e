import type { RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
	type ApiDetail,
} from '../../nodes/DocumentExtraction/api/details/apiDetails';
import type { SetupItem } from '../../nodes/DocumentExtraction/api/setup';
import { binaryItem } from '../support/binary';
import { sample } from '../support/files';
import { startLocalServer } from '../support/localServer';
import { runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { PROFILES } from '../support/profiles';
import type { Service } from '../support/service';
import type { Profile } from '../support/serviceContract';
import { useService } from '../support/useService';
import { headingOf } from './scenarios';

const SWITCHED_OFF = Object.fromEntries(
	Object.values(DETAIL_GROUPS).map((group) => [group.switch, false]),
);

/** As a new user begins: with the fields that everybody sees, and none of the API Details. */
const newcomer = (service: Service, more: ICredentialDataDecryptedObject = {}) =>
	service.credential({
		...Object.fromEntries(ALL_DETAILS.map((detail) => [detail, ''])),
		...SWITCHED_OFF,
		...more,
	});

/** What stands in a field that has nothing to say: n8n's table shows an empty text in red. */
const NOTHING = '–';

async function check(
	service: Service,
	openApiDocument: INodeParameters[string],
	{ credential = newcomer(service), ...options }: RunOptions = {},
) {
	const run = await runNode({
		credential,
		parameters: { resource: 'workflow', operation: 'checkSetup', openApiDocument },
		...options,
	});
	const items = run.output.map(
		({ json }) =>
			Object.fromEntries(
				Object.entries(json).map(([field, text]) => [field, text === NOTHING ? '' : text]),
			) as Partial<SetupItem> as SetupItem,
	);
	const item = (detail: ApiDetail) =>
		items.find(({ credentialField }) => credentialField === detail) as SetupItem;
	const [all] = items;
	return { ...run, items, item, all, hints: run.hints.map(({ message }) => message) };
}

/** The document itself, as whoever opens its address in a browser gets it. */
async function publishedBy(service: Service): Promise<unknown> {
	const before = (await service.control.requests('getOpenApi')).length;
	await check(service, service.account.openApiUrl);
	return (await service.control.requests('getOpenApi'))[before].answer;
}

function pointedAt(document: unknown, pointer: string): unknown {
	return pointer
		.split('/')
		.slice(1)
		.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<unknown>((value, key) => (value as { [key: string]: unknown })[key], document);
}

/** Whether a body is a template with what stands in angle brackets replaced. */
function isMadeFrom(template: unknown, body: unknown): boolean {
	if (typeof template === 'string' && /^<.*>$/.test(template)) return typeof body === 'string';
	if (template === null || typeof template !== 'object') return template === body;
	if (body === null || typeof body !== 'object') return false;
	const parts = Object.entries(body);
	return (
		parts.length === Object.keys(template).length &&
		parts.every(([key, part]) => isMadeFrom((template as { [key: string]: unknown })[key], part))
	);
}

/** Results of two documents, as somebody has them who has tried the service. */
async function giveResults(service: Service) {
	const { apiDetails, environments } = service.account;
	const isOnePerColumn = apiDetails.valuesField === '';
	const { columns } = environments.test.workflows.main;
	const extractionsPerDocument = isOnePerColumn ? columns.length : 1;
	await service.control.seed({ documents: 2, extractionsPerDocument });
}

const asColumn = (columnNameField: string, columnValueField: string) => {
	return { valuesField: '', columnNameField, columnValueField };
};
/** Entries that look plausible, and make rows of something else than the values. */
const PLAUSIBLE: { [profile in Profile]: ICredentialDataDecryptedObject[] } = {
	atlas: [
		asColumn('file_name', 'values'),
		asColumn('extraction_status', 'values'),
		asColumn('file_name', 'extraction_status'),
		asColumn('document_id', 'file_name'),
	],
	borealis: [
		{ columnValueField: 'column.type' },
		{ columnValueField: 'column.column_id' },
		{ columnNameField: 'column.column_id' },
		{ columnNameField: 'value', columnValueField: 'column.heading' },
	],
	cobalt: [{ columnNameField: 'column_id' }, { columnValueField: 'column_id' }],
};

const WITHOUT_ANY = /Works now: only what needs no API Detail, such as Extraction › Get Many\./;

describe.each(PROFILES)('with an account of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });
	const details = () => used.service.account.apiDetails;

	describe('that publishes a full OpenAPI document and has results', () => {
		beforeEach(async () => await giveResults(used.service));

		it('gives an item of short texts for every API Detail, in the order in which it is needed', async () => {
			const { items, error, output } = await check(used.service, used.service.account.openApiUrl);

			expect(error).toBeUndefined();
			for (const { json } of output) {
				expect(Object.values(json)).not.toContain('');
				expect(Object.keys(json)).toEqual(Object.keys(output[0].json));
				expect(Object.keys(json).slice(0, 4)).toEqual(['apiDetail', 'enter', 'why', 'todo']);
				// More make the table's columns too narrow to be read.
				expect(Object.keys(json).length).toBeLessThan(10);
			}
			expect(items.map(({ apiDetail }) => apiDetail)).toEqual([
				'All Entries',
				...ALL_DETAILS.map((detail) => API_DETAILS[detail].label),
			]);
			const groups = [undefined, ...Object.keys(DETAIL_GROUPS)];
			const places = ALL_DETAILS.map((detail) => groups.indexOf(API_DETAILS[detail].group));
			expect(places).toEqual([...places].sort());
			expect(groups.slice(0, 2)).toEqual([undefined, 'responseFields']);
			expect(groups.at(-1)).toBe('signedUploads');
			for (const item of items) {
				for (const text of Object.values(item)) expect(typeof text).toBe('string');
				// One sentence, and what has to be checked before it is entered.
				expect(item.why).toMatch(/^[^.]+(\.[^. ]+)*\.( Check [^.]+\.)?$/);
				expect(item.why.length).toBeLessThan(210);
			}
		});

		/** What the document or the responses decide. */
		const DECIDED: ApiDetail[] = [
			'uploadFileField',
			'documentIdField',
			'valuesField',
			'columnNameField',
			'columnValueField',
			'workflowEndpoint',
			'uploadUrlEndpoint',
			'uploadUrlField',
			...(profile === 'cobalt' ? ['uploadHeadersField' as const] : []),
			'confirmMethod',
		];

		it('says what to enter, which may be nothing, and what that rests on', async () => {
			const { item, all } = await check(used.service, used.service.account.openApiUrl);

			for (const detail of DECIDED) {
				const right = details()[detail];
				// The responses of this account name the document as the interface does.
				const isDefault = detail === 'documentIdField' && right === 'document_id';
				const { enter, choices, why } = item(detail);
				expect({ detail, enter, choices, isEmpty: why.startsWith('Leave it empty: ') }).toEqual({
					detail,
					enter: isDefault ? '' : right,
					choices: '',
					isEmpty: right === '',
				});
				expect(all.enter.includes(`${API_DETAILS[detail].label}: ${right}`)).toBe(
					right !== '' && !isDefault,
				);
			}
			expect(item('valuesField').note).toContain('A row: Document number: SEED-1 · Supplier: ');
			expect(item('valuesField').why).toContain('in 2 real documents');
			expect(item('documentIdField').why).toContain(
				'the ID in 2 real documents and in real results',
			);
		});

		it('marks what is not needed, with what it is for', async () => {
			const { items, item, all, hints } = await check(
				used.service,
				used.service.account.openApiUrl,
			);

			const ofGroups = items.filter(({ credentialField }) => {
				const { group } = API_DETAILS[credentialField as ApiDetail] ?? {};
				return group && DETAIL_GROUPS[group].unneeded;
			});
			expect(ofGroups.length).toBeGreaterThan(0);
			for (const { credentialField, why, todo } of ofGroups) {
				const { recommendedBecause } = API_DETAILS[credentialField as ApiDetail];
				expect(todo).toBe(recommendedBecause ? 'recommended' : 'optional');
				expect(why).toContain(
					recommendedBecause
						? `Recommended: ${recommendedBecause}.`
						: 'Not needed for what you use: ',
				);
			}
			expect(item('workflowEndpoint').todo).toBe('recommended');
			expect(all.todo).toBe('copy');
			expect(all.enter).toContain(
				' | recommended: | Set Up Faster Waiting and Lists: switch on | ',
			);
			const switchedOn = await check(used.service, used.service.account.openApiUrl, {
				credential: newcomer(used.service, { useSignedUploads: true }),
			});
			expect(switchedOn.item('confirmMethod').todo).toBe('enter');
			expect(item('confirmMethod').todo).toBe('optional');
			expect(hints).toHaveLength(1);
			expect(hints[0]).toMatch(WITHOUT_ANY);
			const typed = items.filter(({ todo }) => todo === 'enter');
			expect(hints[0]).toContain(
				`Next: enter the ${typed.length} values of the first item, All Entries, in the credential.`,
			);
			expect(hints[0].length).toBeLessThan(180);
		});

		it('is set up after its entries are typed in, and works', async () => {
			const first = await check(used.service, used.service.account.openApiUrl);
			const typed = first.items.filter(({ todo }) => ['enter', 'empty'].includes(todo));
			const credential = newcomer(used.service, {
				...Object.fromEntries(typed.map(({ credentialField, enter }) => [credentialField, enter])),
				...Object.fromEntries(typed.map(({ credentialSwitch }) => [credentialSwitch, true])),
			});
			const second = await check(used.service, used.service.account.openApiUrl, { credential });
			const { output } = await runNode({
				credential,
				parameters: { binaryPropertyName: '*' },
				items: [await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })],
			});

			expect(second.hints).toEqual([
				"Works now: Extract From Files, one row per document. Next: nothing. All that you use is set up. Recommended: 'Workflow Endpoint'.",
			]);
			expect(second.all.enter).not.toContain('Values Field');
			expect(output).toMatchObject([{ json: { Supplier: 'Harbour Office Supplies Ltd' } }]);
		});

		it('does not say that something works which it says how to correct', async () => {
			const credential = used.service.credential({ uploadFileField: 'nothing' });
			const { all, hints } = await check(used.service, used.service.account.openApiUrl, {
				credential,
			});

			expect(hints[0]).toMatch(/^Works now: .*one row per document\. Next: enter "/);
			expect(hints[0]).not.toContain('Extract From Files');
			expect(all.note).toContain("Upload, direct (correct 'Upload File Field')");
		});

		it('gives bodies as templates, to be completed, and lists all statuses, of which it chooses none', async () => {
			const { item } = await check(used.service, used.service.account.openApiUrl, {
				credential: newcomer(used.service, { useSignedUploads: true }),
			});

			for (const detail of ['uploadUrlBody', 'confirmBody'] as const) {
				const { enter, todo, why } = item(detail);
				expect(isMadeFrom(JSON.parse(enter), JSON.parse(details()[detail]))).toBe(true);
				expect(todo).toBe(enter.includes('"<') ? 'complete' : 'enter');
				expect(why.includes('angle brackets')).toBe(enter.includes('"<'));
			}
			const right = details().finishedStatuses.split(/, ?/);
			const { choices, enter, note } = item('finishedStatuses');
			expect(choices.split(' | ')).toHaveLength(4);
			expect(choices.split(' | ')).toEqual(expect.arrayContaining(right));
			expect(enter).toBe('');
			expect(note).toContain(`Real documents have: ${right[0]}.`);
		});

		it('points to where it found each value, in a document that is pasted or of an expression as well', async () => {
			const document = await publishedBy(used.service);
			const { items } = await check(used.service, used.service.account.openApiUrl);

			const pointers = items.flatMap(
				({ note }) => /In the OpenAPI document: (\S+)(?: and \d+ more)?$/.exec(note)?.[1] ?? [],
			);
			expect(pointers.length).toBeGreaterThan(8);
			for (const pointer of pointers) {
				expect([pointer, pointedAt(document, pointer)]).not.toEqual([pointer, undefined]);
			}
			const pasted = await check(used.service, JSON.stringify(document, null, 2));
			const object = await check(used.service, '={{ $json.reference }}', {
				items: [{ json: { reference: document as INodeParameters } }],
			});
			const { pathname } = new URL(used.service.account.openApiUrl);
			const path = await check(used.service, pathname);
			expect(pasted.items).toEqual(items);
			expect(object.items).toEqual(items);
			expect(path.items).toEqual(items);
			const relative = await check(used.service, pathname.slice(1));
			expect(relative.items).toEqual(items);
		});

		it('only reads, and shows the key to nobody but the service', async () => {
			const before = await used.control.ledger();
			const earlier = (await used.control.requests()).length;
			const { error } = await check(used.service, used.service.account.openApiUrl, {
				credential: used.service.credential(),
			});

			expect(error).toBeUndefined();
			const requests = (await used.control.requests()).slice(earlier);
			expect(
				requests.map(({ method, operation, server }) => `${method} ${operation} ${server}`).sort(),
			).toEqual([
				'GET getDocuments api',
				'GET getExtractions api',
				'GET getOpenApi api',
				// A POST is not sent, although it may only read.
				...(details().workflowEndpoint.startsWith('GET ') ? ['GET getWorkflow api'] : []),
			]);
			const fetched = requests.find(({ operation }) => operation === 'getOpenApi');
			expect(fetched?.headers).not.toHaveProperty('authorization');
			expect(JSON.stringify(fetched)).not.toContain(used.service.credential().apiKey);
			expect(await used.control.ledger()).toEqual(before);
		});

		it('has nothing to say against the right API Details', async () => {
			const { items, item, all, hints } = await check(
				used.service,
				used.service.account.openApiUrl,
				{ credential: used.service.credential() },
			);

			for (const detail of ALL_DETAILS) {
				expect(item(detail)).toMatchObject({
					inCredential: details()[detail] || '',
					enter: '',
					todo: 'nothing',
				});
			}
			const notes = items.map(({ note }) => note).join('');
			expect(notes).not.toContain('Wrong now');
			expect(notes).not.toContain('In the OpenAPI document');
			expect(all.enter).toBe('');
			expect(all.note).not.toContain('Does not work yet');
			expect(hints[0]).toContain(
				'Works now: Extract From Files, signed uploads, one row per document.',
			);
		});

		it('counts Simplify as working only where real results make rows', async () => {
			const wrong = { atlas: 'file_url', borealis: 'column', cobalt: 'payload.file' }[profile];
			const { item, all, hints } = await check(used.service, '', {
				credential: used.service.credential({
					valuesField: wrong,
					columnNameField: '',
					columnValueField: '',
				}),
			});

			const right = details().valuesField;
			expect(item('valuesField')).toMatchObject({
				enter: right,
				todo: right === '' ? 'empty' : 'enter',
				note: expect.stringMatching(/^Wrong now: /) as string,
			});
			expect(all.note).toMatch(/Simplify \(.*correct 'Values Field'/);
			expect(hints[0]).not.toContain('one row per document');
		});

		it.each(PLAUSIBLE[profile])(
			'says of %j which of them is wrong, and of no other',
			async (wrong) => {
				const { item, all, hints } = await check(used.service, '', {
					credential: used.service.credential({ ...wrong }),
				});

				expect(hints[0]).toMatch(/^Works now: [^.]*\. Next: (enter|empty) /);
				expect(hints[0]).not.toContain('one row per document');
				expect(all.note).toContain('Simplify (correct ');
				for (const detail of ['valuesField', 'columnNameField', 'columnValueField'] as const) {
					const right = details()[detail];
					const entered = wrong[detail] ?? right;
					const { note, todo, why } = item(detail);
					expect([detail, note.includes('Wrong now')]).toEqual([
						detail,
						entered !== right && entered !== '',
					]);
					expect(todo === 'nothing').toBe(entered === right);
					expect(why.startsWith('It is right')).toBe(entered === right && right !== '');
				}
			},
		);
	});

	it('finds of a bare document what is in it, and the rest in real responses', async () => {
		await used.control.settings({ openApi: 'bare' });
		await giveResults(used.service);
		const { item, error } = await check(used.service, used.service.account.openApiUrl, {
			credential: newcomer(used.service, { useSignedUploads: true, useWaitingAndLists: true }),
		});

		expect(error).toBeUndefined();
		expect(item('confirmMethod').enter).toBe(details().confirmMethod);
		expect(item('uploadUrlEndpoint')).toMatchObject({ enter: '', todo: 'look up' });
		expect(item('uploadUrlEndpoint').why).toMatch(/look at: /);
		// Nothing needs it, even if its group is switched on.
		expect(item('workflowEndpoint')).toMatchObject({ enter: '', todo: 'recommended' });
		expect(item('workflowEndpoint').note).toMatch(/look at: /);
		for (const detail of ['valuesField', 'columnNameField', 'columnValueField'] as const) {
			expect(item(detail).enter).toBe(details()[detail]);
		}
	});

	it('without a document says where to look, and what real responses show', async () => {
		await giveResults(used.service);
		const { uploadFileField, columnNameField, valuesField } = details();
		const { item, hints, all } = await check(used.service, '', {
			credential: newcomer(used.service, { uploadFileField }),
		});

		expect(await used.control.requests('getOpenApi')).toEqual([]);
		expect(item('uploadFileField')).toMatchObject({
			inCredential: uploadFileField,
			todo: 'nothing',
		});
		expect(item('confirmMethod').note).toContain('In your API reference, look at: the endpoint');
		expect(item('valuesField').enter).toBe(valuesField);
		expect(item('columnNameField').enter).toBe(columnNameField);
		// The credential's Document ID Field is 'document_id', unless the user has changed it.
		expect(hints[0]).toMatch(
			details().documentIdField === 'document_id'
				? /^Works now: Extract From Files\. Next: /
				: WITHOUT_ANY,
		);
		expect(all.note).toContain(
			"Upload, by signed URL (needs 'Upload URL Endpoint', 'Upload URL Field', 'Confirm Method', 'Confirm Body'",
		);
	});

	it('says so where the account publishes no document', async () => {
		await used.control.settings({ openApi: 'none' });
		const { error } = await check(used.service, used.service.account.openApiUrl);

		expect(error?.message).toBe('There is no OpenAPI document at this address (404)');
		expect(error?.description).toContain(`The node asked for ${used.service.account.openApiUrl}, `);
		expect(error?.description).toContain("check that this is your service's");
	});

	it('names Base URL where a web page came from there', async () => {
		const page = {
			type: 'status',
			status: 200,
			body: '<html><title>Sign in</title></html>',
		} as const;
		await used.fault('getOpenApi', page);
		const { error } = await check(used.service, used.service.account.openApiUrl);

		expect(error?.message).toBe('This is a web page or XML, not an OpenAPI document');
		expect(error?.description).toMatch(
			/The node read it from the host of 'Base URL' in the credential: check that this is your service's\.$/,
		);
	});
});

describe('Check Setup', () => {
	const used = useService({ profile: 'borealis', extractionMs: 30, startMs: 10 });
	const fromAddress = async () => await check(used.service, used.service.account.openApiUrl);

	it('says what is wrong with an API Detail, and what that keeps from working', async () => {
		const { item, all } = await check(used.service, '', {
			credential: used.service.credential({
				uploadFileField: 'my file',
				workflowEndpoint: 'GET /workflows/{id}',
				confirmBody: '{"doc_ref": "<string>"}',
				columnValueField: '',
			}),
		});

		expect(item('uploadFileField')).toMatchObject({
			inCredential: 'my file',
			todo: 'look up',
			note: expect.stringContaining('is not the name of a form field') as string,
		});
		expect(item('workflowEndpoint').note).toContain('{id}, which is not a placeholder here');
		expect(item('confirmBody').note).toContain('still has "<string>" in it');
		expect(item('columnNameField').note).toContain("does not work without 'Column Value Field'");
		expect(item('confirmMethod')).toMatchObject({ todo: 'nothing', note: '' });
		expect(all.note).toContain("Confirm Upload (correct 'Confirm Body')");
		expect(all.note).toContain(
			"Extract From Files and Document › Upload, direct (correct 'Upload File Field')",
		);
		expect(all.note).toContain("Simplify (correct 'Column Name Field')");
		const [, ready = ''] = /Works with what is filled in: (.+?)\. /.exec(all.note) ?? [];
		const names = ready.split('; ');
		expect(names).toEqual(
			expect.arrayContaining(['Extraction › Get Many', 'Document › Get Many', 'Create Upload URL']),
		);
		const withoutAny = OPERATIONS.filter(
			({ uses, value }) => uses.length === 0 && value !== 'checkSetup',
		);
		for (const operation of withoutAny) {
			const named = [operation.name, headingOf(operation)];
			expect(names.filter((name) => named.includes(name))).toHaveLength(1);
		}
	});

	it('says where the credential differs from the document', async () => {
		const { item } = await check(used.service, used.service.account.openApiUrl, {
			credential: used.service.credential({
				uploadFileField: 'file',
				workflowEndpoint: 'GET /api/v1/workflows/:workflow_id/metadata',
				confirmMethod: 'POST',
			}),
		});

		expect(item('uploadFileField')).toMatchObject({ enter: 'documents', inCredential: 'file' });
		expect(item('confirmMethod')).toMatchObject({ enter: 'PUT', inCredential: 'POST' });
		expect(item('workflowEndpoint')).toMatchObject({ enter: '', todo: 'nothing' });
	});

	it('says where real responses differ from the document', async () => {
		await giveResults(used.service);
		const document = (await publishedBy(used.service)) as INodeParameters;
		const elsewhere = JSON.stringify(document)
			.replaceAll('"heading"', '"title"')
			.replaceAll('"doc_ref"', '"document_id"')
			.replaceAll('"DONE"', '"FINISHED"');
		const { item } = await check(used.service, elsewhere);

		expect(item('columnNameField').enter).toBe('column.heading');
		expect(item('columnNameField').note).toContain(
			'The OpenAPI document does not declare it, but real responses have it. The document has: ',
		);
		expect(item('documentIdField')).toMatchObject({
			enter: 'doc_ref',
			note: expect.stringContaining('does not declare it') as string,
			why: "It holds the ID in 2 real documents and in real results, which have no 'document_id'.",
		});
		expect(item('finishedStatuses').note).toContain('The OpenAPI document does not declare DONE.');
	});

	it('checks the rest although Document ID Field is malformed and no document can be read', async () => {
		await giveResults(used.service);
		await used.fault('getDocuments', { type: 'status', status: 403 });
		const { items, item, error } = await check(used.service, '', {
			credential: newcomer(used.service, { documentIdField: 'a b' }),
		});

		expect(error).toBeUndefined();
		expect(items).toHaveLength(ALL_DETAILS.length + 1);
		expect(item('documentIdField').note).toContain('is neither a field name nor a path');
	});

	it('takes the response to an upload that went before into account', async () => {
		await giveResults(used.service);
		const file = await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } });
		const upload = await used.run(
			{ resource: 'document', operation: 'upload', uploadMethod: 'direct' },
			{ items: [file] },
		);
		const after = await check(used.service, '', { items: [{ json: upload.output[0].json }] });
		const elsewhere = { json: { uploadMethod: 'direct', response: { file: { ref: 'x1' } } } };
		const other = await check(used.service, '', { items: [elsewhere] });

		expect(after.item('documentIdField')).toMatchObject({
			enter: 'doc_ref',
			why: expect.stringContaining('and in the response to an upload') as string,
		});
		expect(other.item('documentIdField')).toMatchObject({ enter: '', todo: 'choose' });
	});

	it('gives each reading with its row where several fit, and decides what they share', async () => {
		const entry = (name: string, value: number) => ({ name, value, confidence: value / 100 });
		const items = [1, 2].map((number) => ({
			document_id: `d${number}`,
			cells: [entry('Total', 10 * number), entry('Tax', number)],
		}));
		await used.fault('getExtractions', {
			type: 'status',
			status: 200,
			body: { total: 2, page: 1, limit: 50, pages: 1, items },
		});
		const { item, all } = await check(used.service, '', {
			credential: newcomer(used.service, { uploadFileField: 'documents' }),
		});

		expect(item('valuesField')).toMatchObject({ enter: 'cells', todo: 'enter' });
		expect(item('columnNameField')).toMatchObject({ enter: 'name', todo: 'enter' });
		expect(item('columnValueField')).toMatchObject({
			enter: '',
			todo: 'choose',
			choices: 'value → Total: 10 · Tax: 1 | confidence → Total: 0.1 · Tax: 0.01',
		});
		expect(all.enter).toContain('Values Field: cells | Column Name Field: name');
	});

	it('does not take the default of Document ID Field for right before a document shows it', async () => {
		const credential = newcomer(used.service, {
			uploadFileField: 'documents',
			documentIdField: 'document_id',
		});
		const before = await check(used.service, used.service.account.openApiUrl, { credential });
		await giveResults(used.service);
		const after = await check(used.service, '', { credential });

		expect(before.item('documentIdField')).toMatchObject({
			enter: '',
			todo: 'look up',
			why: "No document was seen that shows whether 'document_id' is right: upload one, then check again.",
		});
		expect(before.all.enter).toContain('Document ID Field: (look up) No document was seen');
		expect(after.item('documentIdField')).toMatchObject({
			enter: 'doc_ref',
			note: "Wrong now: real documents have no 'document_id'.",
		});
		expect(after.hints[0]).toMatch(WITHOUT_ANY);
		expect(after.all.note).toContain("direct (correct 'Document ID Field')");
	});

	it('does not take for right what the document lists other values for', async () => {
		const document = (await publishedBy(used.service)) as INodeParameters;
		const renamed = JSON.stringify(document).replaceAll('"doc_ref"', '"slot_id"');
		const several = renamed.replaceAll('"title"', '"batch_id"');
		const { item } = await check(used.service, several, {
			credential: newcomer(used.service, { documentIdField: 'document_id' }),
		});

		expect(item('documentIdField')).toMatchObject({
			todo: 'choose',
			choices: 'result.documents[0].slot_id | result.documents[0].attributes.batch_id',
			why: 'The OpenAPI document names several: choose one.',
		});
	});

	it('has one wording for what may be several, and for what one has to check', async () => {
		const { item } = await check(used.service, used.service.account.openApiUrl, {
			credential: newcomer(used.service, { useWaitingAndLists: true, useSignedUploads: true }),
		});

		const { todo, why, note } = item('finishedStatuses');
		expect([todo, why]).toEqual([
			'choose',
			'Choose all that mean that the extraction is over, done or failed, and separate them with commas.',
		]);
		expect(note).not.toMatch(/choose|enter/i);
		expect(item('uploadUrlEndpoint')).toMatchObject({
			todo: 'enter',
			why: 'Check in its description that it returns a signed URL to upload a file to.',
			note: expect.stringMatching(/^In the OpenAPI document: \S+$/) as string,
		});
	});

	it('works with nothing where nothing can be read, and says why', async () => {
		const { all, hints, error } = await check(used.service, used.service.account.openApiUrl, {
			credential: used.service.credential({ apiKey: 'brl_eu_test_nobodys' }),
		});

		expect(error).toBeUndefined();
		expect(hints[0]).toMatch(
			/^Neither documents nor results could be read: The service refused the API key \(401\)\. .*Check that the key is complete/,
		);
		expect(all.note).toMatch(/^Neither documents nor results could be read: /);
		expect(all.note).not.toContain('Works with');
	});

	it.each([
		['both have the name', { columnValueField: 'column.heading' }, 'columnValueField'],
		['both have the value', { columnNameField: 'value' }, 'columnNameField'],
		['the value is empty', { columnValueField: '' }, 'columnValueField'],
	] as const)('says which of the pair is wrong, where %s', async (_, entered, wrong) => {
		await giveResults(used.service);
		const { item, all, hints } = await check(used.service, '', {
			credential: used.service.credential(entered),
		});

		const right = wrong === 'columnNameField' ? 'columnValueField' : 'columnNameField';
		expect(item(wrong)).toMatchObject({
			todo: 'enter',
			enter: used.service.account.apiDetails[wrong],
		});
		expect(item(right)).toMatchObject({ todo: 'nothing' });
		expect(item(right).note).not.toContain('Wrong now');
		expect(hints[0]).not.toContain('one row per document');
		expect(all.note).toMatch(/Does not work yet: .*Simplify/);
	});

	it('offers the statuses of real documents, and says which have results', async () => {
		await giveResults(used.service);
		const finished = used.service.account.apiDetails.finishedStatuses.split(',')[0];
		await used.client.uploadedId({ bytes: Buffer.from('a'), contentType: 'text/plain' });
		const pending = await check(used.service, '', {
			credential: used.service.credential({ finishedStatuses: 'NEW' }),
		});
		const both = await check(used.service, '', {
			credential: used.service.credential({ finishedStatuses: `${finished}, NEW` }),
		});

		expect(pending.item('finishedStatuses')).toMatchObject({
			todo: 'choose',
			why: `Choose all that mean that the extraction is over, done or failed, and separate them with commas. Documents with results have: ${finished}.`,
		});
		expect(pending.item('finishedStatuses').choices.split(' | ').sort()).toEqual(
			[finished, 'NEW'].sort(),
		);
		expect(both.item('finishedStatuses').note).toContain(
			'It lists NEW, which only documents without results have: right if it means that the extraction failed; otherwise, remove it.',
		);
	});

	it.each([
		['result.documents[0].doc_ref', true],
		['no.such[3].thing', false],
	])('takes a path that may fit uploads for one that works: %s', async (path, works) => {
		await giveResults(used.service);
		const { item, hints } = await check(used.service, '', {
			credential: used.service.credential({ documentIdField: path }),
		});

		expect(item('documentIdField')).toMatchObject({ todo: 'enter', enter: 'doc_ref' });
		expect(hints[0].startsWith('Works now: Extract From Files, ')).toBe(works);
	});

	it('offers nothing for Document ID Field that the interface calls something else', async () => {
		const named = { doc_ref: 'x1', workflow_id: 'wf-42' };
		const body = { total: 1, page: 1, limit: 50, pages: 1, items: [named] };
		await used.fault('getDocuments', { type: 'status', status: 200, body: [named] });
		await used.fault('getExtractions', { type: 'status', status: 200, body });
		const { item, error } = await check(used.service, '');

		expect(error).toBeUndefined();
		expect(item('documentIdField').enter).not.toBe('workflow_id');
	});

	it('asks about a document that is for another server', async () => {
		const document = JSON.stringify(await publishedBy(used.service));
		const { origin } = new URL(used.service.url);
		const own = await check(used.service, document);
		const foreign = await check(
			used.service,
			document.replaceAll(origin, 'https://api.example.com'),
		);

		expect(own.hints[0]).not.toContain('is that your account');
		expect(foreign.hints[0]).toContain(
			'The OpenAPI document is for https://api.example.com: is that your account? Next: ',
		);
	});

	it('asks about a document that does not fit real responses', async () => {
		await giveResults(used.service);
		const document = JSON.stringify(await publishedBy(used.service));
		const own = await check(used.service, `\`\`\`json\n${document}\n\`\`\``);
		const others = ['heading', 'value'].reduce(
			(text, name) => text.replaceAll(`"${name}"`, `"other_${name}"`),
			document,
		);
		const foreign = await check(used.service, others);

		expect(own.hints[0]).not.toContain('your account');
		expect(foreign.hints[0]).toContain(
			"The OpenAPI document does not fit real responses ('Column Name Field', 'Column Value Field'): is it that of your account? Next: ",
		);
	});

	it('says what it has not checked', async () => {
		const credential = used.service.credential();
		const { hints } = await check(used.service, '', { credential });

		expect(hints[0]).toMatch(
			/Next: nothing\. All that you use is set up\. Not checked: 'Upload File Field', .* more\.$/,
		);
	});

	it.each([
		[
			'has',
			(finished: string) => finished,
			{ todo: 'nothing', why: 'Real documents that have results have a status that it lists.' },
		],
		['lacks', () => 'over', { todo: 'choose' }],
	])(
		'sees whether Finished Statuses %s the status of extracted documents',
		async (_, entered, expected) => {
			await giveResults(used.service);
			const finishedStatuses = entered(used.service.account.apiDetails.finishedStatuses);
			const { item, hints } = await check(used.service, '', {
				credential: used.service.credential({ finishedStatuses }),
			});

			expect(item('finishedStatuses')).toMatchObject(expected);
			const isWrong = item('finishedStatuses').note.includes(
				'Wrong now: it lists none of the statuses that documents with results have: ',
			);
			expect(isWrong).toBe(expected.todo !== 'nothing');
			expect(hints[0].includes('Works now: Extract From Files')).toBe(!isWrong);
		},
	);

	it('finds the ID where many documents have no results', async () => {
		for (let number = 0; number < 12; number++) {
			await used.client.uploadedId({ bytes: Buffer.from(`${number}`), contentType: 'text/plain' });
		}
		await used.control.seed({ documents: 60, extractionsPerDocument: 6 });
		const { item } = await check(used.service, '', {
			credential: used.service.credential({ documentIdField: 'title' }),
		});

		expect(item('documentIdField')).toMatchObject({ enter: 'doc_ref', todo: 'enter' });
	});

	it('asks for the rest of a body that was entered as it is', async () => {
		const first = await check(used.service, used.service.account.openApiUrl, {
			credential: newcomer(used.service, { useSignedUploads: true }),
		});
		const body = first.item('confirmBody').enter;
		const { item } = await check(used.service, used.service.account.openApiUrl, {
			credential: used.service.credential({ confirmBody: body }),
		});

		expect(body).toContain('<');
		expect(item('confirmBody')).toMatchObject({
			todo: 'complete',
			note: expect.stringContaining('Wrong now: ') as string,
		});
	});

	it('sees a property in a body that the OpenAPI document does not declare', async () => {
		const right = used.service.account.apiDetails.uploadUrlBody;
		const withBody = async (uploadUrlBody: string) =>
			await check(used.service, used.service.account.openApiUrl, {
				credential: used.service.credential({ uploadUrlBody }),
			});
		const misspelt = await withBody(right.replace('folder', 'floder'));
		const whole = await withBody(right);

		expect(misspelt.item('uploadUrlBody').todo).toBe('complete');
		expect(misspelt.hints[0]).not.toContain('signed uploads');
		expect(misspelt.hints[0]).toContain(
			"Next: 'Upload URL Body'. The OpenAPI document does not declare 'floder': correct or remove what is wrong.",
		);
		expect(whole.item('uploadUrlBody').todo).toBe('nothing');
	});

	describe('reads the workflow where Workflow Endpoint says that it is', () => {
		const right = () => used.service.account.apiDetails.workflowEndpoint;

		it('and says that it is there', async () => {
			const { item } = await check(used.service, '', { credential: used.service.credential() });

			const { columns } = used.service.account.environments.test.workflows.main;
			expect(item('workflowEndpoint')).toMatchObject({
				todo: 'nothing',
				why: `It is right: it returns the workflow, with ${columns.length} columns.`,
			});
		});

		it.each([
			[
				'an address that does not exist',
				() => `${right()}-x`,
				'The service cannot find what was requested (404)',
			],
			[
				'another endpoint',
				() => 'GET /workflows/{workflow_id}/documents',
				"does not contain 'is_extracting'",
			],
		])('and names %s', async (_, workflowEndpoint, reason) => {
			const credential = used.service.credential({ workflowEndpoint: workflowEndpoint() });
			const { item, hints } = await check(used.service, '', { credential });

			expect(item('workflowEndpoint').todo).toBe('look up');
			expect(item('workflowEndpoint').why).toMatch(/look at: /);
			expect(item('workflowEndpoint').note).toContain(
				'Wrong now: the service does not return the workflow there: ',
			);
			expect(item('workflowEndpoint').note).toContain(reason);
			expect(hints[0]).toContain("Next: 'Workflow Endpoint'.");
			// Finished Statuses are enough for this.
			expect(hints[0]).toContain('Works now: Extract From Files');
		});

		it('and does not call right what the API reference names, but the service does not have', async () => {
			await used.fault('getWorkflow', { type: 'status', status: 404 }, { times: 50 });
			const { item } = await check(used.service, used.service.account.openApiUrl, {
				credential: used.service.credential(),
			});

			expect(item('workflowEndpoint').todo).toBe('look up');
			expect(item('workflowEndpoint').why).toMatch(/look at: /);
		});

		it.each([
			['the key may not read it', [['getWorkflow', 403]]],
			['the service cannot tell for now', [['getWorkflow', 503]]],
			[
				'nothing can be read',
				[
					['getWorkflow', 403],
					['getDocuments', 403],
					['getExtractions', 403],
				],
			],
		] as const)('and does not blame it where %s', async (_, faults) => {
			for (const [operation, status] of faults) {
				await used.fault(operation, { type: 'status', status }, { times: 50 });
			}
			const { item } = await check(used.service, '', { credential: used.service.credential() });

			expect(item('workflowEndpoint')).toMatchObject({ todo: 'nothing', note: '' });
		});
	});

	it('asks for no Finished Statuses where Workflow Endpoint is filled in', async () => {
		const { workflowEndpoint } = used.service.account.apiDetails;
		const { item, hints } = await check(used.service, used.service.account.openApiUrl, {
			credential: used.service.credential({ workflowEndpoint, finishedStatuses: '' }),
		});

		expect(item('finishedStatuses')).toMatchObject({
			todo: 'optional',
			why: "Not needed for what you use: 'Workflow Endpoint' is enough.",
		});
		expect(hints[0]).toMatch(
			/Next: nothing\. All that you use is set up\. Not checked: 'Document ID Field', .* more\.$/,
		);
	});

	it('says which switch of the credential shows an empty field', async () => {
		const { item, all } = await check(used.service, used.service.account.openApiUrl);

		expect(item('uploadFileField').credentialSwitch).toBe('');
		expect(item('confirmMethod').credentialSwitch).toBe('useSignedUploads');
		expect(all.enter).toContain(
			'Set Up Signed Uploads for Large Files: switch on | Upload URL Endpoint: ',
		);
	});

	it('shows no key that was pasted with a command', async () => {
		const { apiKey } = used.service.credential();
		const { item, items } = await check(used.service, '', {
			credential: newcomer(used.service, {
				uploadFileField: `curl -H 'Authorization: Bearer ${String(apiKey)}' -F 'documents=@a.pdf'`,
			}),
		});

		expect(item('uploadFileField')).toMatchObject({ todo: 'nothing', note: '' });
		expect(item('uploadFileField').inCredential).toContain("-F 'documents=@a.pdf'");
		expect(JSON.stringify(items)).not.toContain(apiKey);
	});

	it('shows no signed address of a file in a row', async () => {
		await giveResults(used.service);
		const { item } = await check(used.service, '', {
			credential: used.service.credential({
				valuesField: '',
				columnNameField: 'column.heading',
				columnValueField: 'source.href',
			}),
		});

		expect(JSON.stringify(item('valuesField'))).not.toMatch(/\?\w+=/);
	});

	it('gives items and the reason where the key may not read', async () => {
		await used.control.faults(
			(['getExtractions', 'getDocuments'] as const).map((operation) => ({
				match: { operation },
				fault: { type: 'status', status: 403, body: { detail: 'no scope' } },
			})),
		);
		const { item, items, error } = await fromAddress();

		expect(error).toBeUndefined();
		expect(items).toHaveLength(ALL_DETAILS.length + 1);
		expect(item('uploadFileField').enter).toBe('documents');
		expect(item('valuesField').why).toMatch(/^The results could not be read: .*\(403\)\.$/);
		expect(item('documentIdField').why).toMatch(/^The documents could not be read: .*\(403\)\.$/);
	});

	it('says that there is nothing to be seen yet, and what to do about it', async () => {
		const { item, hints } = await check(used.service, '', {
			credential: newcomer(used.service, { uploadFileField: 'documents' }),
		});

		expect(item('valuesField')).toMatchObject({
			enter: '',
			why: 'There is no result yet: extract one document, then check again.',
		});
		expect(item('finishedStatuses').note).toContain('There is no document yet');
		expect(hints[0]).toMatch(/^Works now: Extract From Files\. Next: .*check again\.$/);
	});

	it.each<[string, (url: URL) => string]>([
		['another host', () => 'https://evil.example/openapi.json'],
		['a subdomain', ({ port }) => `http://docs.127.0.0.1.nip.example:${port}/openapi.json`],
		['another port', () => 'http://127.0.0.1:9/openapi.json'],
		['another scheme', ({ host }) => `https://${host}/openapi.json`],
		['a host behind a user name', ({ host }) => `http://${host}@evil.example/openapi.json`],
		['a host after two slashes', () => '//evil.example/openapi.json'],
		['a host after a backslash', () => '/\\evil.example/openapi.json'],
	])('refuses the address of %s before it sends anything', async (_, addressFor) => {
		const { error } = await check(used.service, addressFor(new URL(used.service.url)));

		expect(error?.message).toBe(
			`The address in 'OpenAPI Document' does not begin with ${used.service.url}/`,
		);
		expect(error?.description).toContain('Nothing was sent.');
		expect(error?.description).toContain("only from the host of 'Base URL'");
		expect(await used.control.requests()).toEqual([]);
	});

	it('refuses an address with a password in it', async () => {
		const { host } = new URL(used.service.url);
		const { error } = await check(used.service, `http://me:secret@${host}/docs/api.json`);

		expect(error?.message).toContain('contains a user name or password');
		expect(`${error?.message} ${error?.description}`).not.toContain('secret');
		expect(await used.control.requests()).toEqual([]);
	});

	it('does not follow where the address leads elsewhere', async () => {
		const arrived: string[] = [];
		const elsewhere = await startLocalServer((request, response) => {
			arrived.push(String(request.url));
			response.end('{}');
		});
		await used.fault('getOpenApi', {
			type: 'redirect',
			location: `${elsewhere.url}/openapi.json`,
			status: 302,
		});
		const { error } = await fromAddress();
		await elsewhere.stop();

		expect(error?.message).toBe("The address in 'OpenAPI Document' redirects to another one (302)");
		expect(error?.description).toContain(`${elsewhere.url}/openapi.json`);
		expect(arrived).toEqual([]);
	});

	it.each([401, 403])('says that the document is behind a sign-in (%d)', async (status) => {
		await used.fault('getOpenApi', { type: 'status', status, body: { detail: 'no' } });
		const { error } = await fromAddress();

		expect(error?.message).toBe(
			`The OpenAPI document can be read only after signing in (${status})`,
		);
		expect(error?.description).toContain('without the API key');
	});

	it('tells a sign-in page from a document', async () => {
		await used.fault('getOpenApi', { type: 'html', status: 200, title: 'Sign in' });
		const { error } = await fromAddress();

		expect(error?.message).toBe('This is a web page or XML, not an OpenAPI document');
		expect(error?.description).toContain('sign-in page');
		expect(await used.control.requests('getOpenApi')).toHaveLength(1);
	});

	it.each<[string, string, RegExp]>([
		['YAML', 'openapi: 3.1.0\ninfo:', /is YAML, but .* only JSON.*editor\.swagger\.io.*convert/i],
		['a web page', '<!doctype html>', /web page or XML.* may be the page that shows the API ref/],
		['an address without a scheme', 'api.example.com/openapi.json', /start it with https/],
		['half a document', '{"openapi": "3.1.0", "paths": {"/a"', /It may have been cut off/],
	])('says that it was given %s', async (_, text, message) => {
		const { error } = await check(used.service, text);

		expect(`${error?.message} ${error?.description}`).toMatch(message);
		expect(await used.control.requests()).toEqual([]);
	});

	it('continues on fail with the item and its reason', async () => {
		const reference = '{"openapi": "3.0.0", "paths": {}}';
		const { output, error } = await check(used.service, '={{ $json.reference }}', {
			items: [{ json: { reference: 'openapi: 3.1.0' } }, { json: { reference } }],
			onError: 'continueRegularOutput',
		});

		expect(error).toBeUndefined();
		expect(output).toHaveLength(1 + ALL_DETAILS.length + 1);
		expect(output[0].json).toMatchObject({
			reference: 'openapi: 3.1.0',
			error: 'This OpenAPI document is YAML, but the node reads only JSON',
		});
		expect(output[1]).toMatchObject({ pairedItem: { item: 1 } });
	});

	it('stops while it waits for a response', async () => {
		await used.fault('getDocuments', { type: 'stallBefore' });
		const started = performance.now();
		const { status, items } = await check(used.service, '', { signal: AbortSignal.timeout(500) });

		expect(status).toBe('canceled');
		expect(items).toEqual([]);
		expect(performance.now() - started).toBeLessThan(10_000);
	});
});

describe('a document that is fetched', () => {
	/** A service that has a document, and no documents or extractions. */
	const published = async (publish: RequestListener, run: (url: string) => Promise<void>) => {
		const server = await startLocalServer((request, response) => {
			if (request.url === '/openapi.json') publish(request, response);
			else response.end('{"total": 0, "page": 1, "limit": 1, "pages": 0, "items": []}');
		});
		await run(server.url);
		await server.stop();
	};
	const checkAt = async (url: string) =>
		await runNode({
			credential: { environment: 'test', baseUrl: url, apiKey: 'abc_test_0123', workflowId: 'w' },
			parameters: {
				resource: 'workflow',
				operation: 'checkSetup',
				openApiDocument: `${url}/openapi.json`,
			},
		});

	it('is read up to 5 MB and no further', async () => {
		let sent = 0;
		const chunk = 'x'.repeat(100_000);
		const longDocument = function* () {
			yield '{"openapi": "3.0.0", "info": {"description": "';
			for (let count = 0; count < 1000; count++) {
				sent += chunk.length;
				yield chunk;
			}
			yield '"}}';
		};
		await published(
			(_request, response) => {
				pipeline(Readable.from(longDocument()), response, () => undefined);
			},
			async (url) => {
				const { error } = await checkAt(url);
				expect(error?.message).toBe('The OpenAPI document is too large');
				expect(error?.description).toContain('The node reads at most 5 MB');
			},
		);
		expect(sent).toBeLessThan(30_000_000);
	});

	it('may lack a content type and begin with a byte order mark', async () => {
		await published(
			(_request, response) => {
				response.end('\uFEFF{"openapi": "3.0.0", "paths": {}}');
			},
			async (url) => {
				const { error, output } = await checkAt(url);
				expect(error).toBeUndefined();
				expect(output).toHaveLength(ALL_DETAILS.length + 1);
			},
		);
	});
});
