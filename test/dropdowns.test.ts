import type {
	ICredentialDataDecryptedObject,
	ILoadOptionsFunctions,
	INodeParameters,
} from 'n8n-workflow';
import { DocumentExtraction } from '../nodes/DocumentExtraction/DocumentExtraction.node';
import { ApiReference, onTheWire } from './operations/apiReference';
import { loadOptionsContext } from './support/n8n';
import { PROFILES } from './support/serviceContract';
import { useVirtualService } from './support/useService';

const { listSearch, loadOptions } = new DocumentExtraction().methods;

describe.each(PROFILES)('dropdowns, as %s', (profile) => {
	const used = useVirtualService({ profile });

	const contextWith = (
		credential: ICredentialDataDecryptedObject = {},
		parameters: INodeParameters = {},
	) => loadOptionsContext({ credential: used.service.credential(credential), parameters });

	const collections = async (filter?: string) =>
		(await listSearch.searchCollections.call(contextWith(), filter)).results;

	type Method = (this: ILoadOptionsFunctions) => Promise<unknown>;

	const ENTER_ALL = 'switch this field to Expression and enter';
	/** With what a user does who has no list. */
	const DROPDOWNS: Array<[string, Method, orElse: string]> = [
		['collections', listSearch.searchCollections, "choose 'By ID' and enter the collection's ID"],
		['columns', loadOptions.getColumns, `${ENTER_ALL} the IDs of columns`],
		['columns of an agent', loadOptions.getColumnNames, `${ENTER_ALL} the names of columns`],
		[
			'columns for Rows Of',
			listSearch.searchColumns,
			"choose 'By Name' and enter the column's name",
		],
	];

	const open = async (method: Method, credential: ICredentialDataDecryptedObject = {}) =>
		await used.time.run(method.call(contextWith(credential)));
	const requests = async () => (await used.control.requests()).map(onTheWire);

	it('list the collections of the workflow by name', async () => {
		expect(await collections()).toEqual(
			used.client.workflow.collections.map(({ id, name }) => ({ name, value: id })),
		);
		expect(await requests()).toEqual([new ApiReference(used.service).getWorkflow()]);
	});

	it('list the collections whose name or ID has the text that was typed', async () => {
		const [invoices, dealRoom, loanFile] = used.client.workflow.collections;
		const typed = ['INVOICES', 'nørrebro" –', '貸付', loanFile.id, 'no such'];

		const found = await Promise.all(typed.map(async (text) => await collections(text)));

		const ids = found.map((results) => results.map(({ value }) => value));
		expect(ids).toEqual([[invoices.id], [dealRoom.id], [loanFile.id], [loanFile.id], []]);
	});

	it('list the columns of the workflow by name, with type and prompt', async () => {
		const columns = await loadOptions.getColumns.call(contextWith());

		expect(columns).toEqual(
			used.client.workflow.columns.map(({ id, name, type, prompt }) => ({
				name: expect.stringMatching(new RegExp(`^${name} \\(${type}\\)$`, 'i')),
				value: String(id),
				description: prompt,
			})),
		);
	});

	it('ask the workflow that the options name', async () => {
		const { second } = used.service.account.environments.test.workflows;

		const columns = await loadOptions.getColumns.call(
			contextWith({}, { options: { workflowId: second.id } }),
		);

		expect(columns.map(({ value }) => value)).toEqual(second.columns.map(({ id }) => String(id)));
		expect(await requests()).toEqual([new ApiReference(used.service, second).getWorkflow()]);
	});

	it.each(DROPDOWNS)(
		'say, where there is no Workflow Endpoint, what to do, with it and without it: %s',
		async (_, method, orElse) => {
			await expect(open(method, { workflowEndpoint: '' })).rejects.toThrow(
				[
					"This list needs the line 'Workflow Endpoint' in the credential's API Details:",
					'Workflow › Check Setup says what to enter.',
					`To do without the list, ${orElse}.`,
				].join(' '),
			);
			expect(await requests()).toEqual([]);
		},
	);

	it.each(DROPDOWNS)(
		'show an error as an error, never as an empty list: %s',
		async (_, method, orElse) => {
			const { keys } = used.client.environment;
			await expect(open(method, { apiKey: '' })).rejects.toThrow(
				`API settings of your account at the extraction service. To do without the list, ${orElse}.`,
			);
			await expect(open(method, { workflowId: 'unknown' })).rejects.toThrow(
				`(404). To do without the list, ${orElse}.`,
			);
			await expect(open(method, { apiKey: keys.revoked })).rejects.toThrow(/\(40[13]\)/);
			const body = { columns: [], collections: 'none' };
			await used.fault('getWorkflow', { type: 'status', status: 200, body });
			await expect(open(method)).rejects.toThrow("does not lead to the service's workflow");
		},
	);

	const metadata = async (body: object) =>
		await used.answer('getWorkflow', { is_extracting: false, ...body });
	const values = async (method: Method) => {
		const found = (await open(method)) as { results?: unknown[] } | unknown[];
		return Array.isArray(found) ? found : found.results;
	};

	it('list no ID that is null, and each collection once', async () => {
		const march = { collection_id: 'c1', name: 'March' };
		await metadata({
			default: { collection_id: 'c1' },
			collections: [march, { collection_id: null, name: 'None' }, march],
		});

		expect(await values(listSearch.searchCollections)).toEqual([{ name: 'March', value: 'c1' }]);
	});

	it('list nothing that only mentions a collection', async () => {
		await metadata({
			name: 'Invoices',
			collection_id: 'c9',
			collections: [{ collection_id: 'c1', name: 'March' }],
			columns: [{ column_id: 1, name: 'Total', collection_id: 'c2' }],
			documents: [{ document_id: 'd1', file_name: 'a.pdf', collection_id: 'c3' }],
		});

		expect(await values(listSearch.searchCollections)).toEqual([{ name: 'March', value: 'c1' }]);
		expect(await values(listSearch.searchColumns)).toEqual([{ name: 'Total', value: 'Total' }]);
	});

	it.each([
		{ status: 'active', label: 'Total' },
		{ status: 'active', created_at: '2026-01-01', wording: 'Total' },
		{ description: 'What has to be paid', format: 'currency', title: 'Total' },
	])('call a column by its title, with %j', async (column) => {
		await metadata({ columns: [{ column_id: 7, ...column }] });

		expect(await values(listSearch.searchColumns)).toEqual([{ name: 'Total', value: 'Total' }]);
	});

	it.each(DROPDOWNS)('say so where the workflow has no IDs that they know: %s', async (...row) => {
		const [, method, orElse] = row;
		const parts = [{ id: 'x', name: 'Total' }];
		await metadata({ columns: parts, collections: parts });

		await expect(open(method)).rejects.toThrow(
			/^The response of 'Workflow Endpoint' has no '(column|collection)_id', by which the node would/,
		);
		await expect(open(method)).rejects.toThrow(`To do without the list, ${orElse}.`);
	});

	it('are empty where the workflow has no collections', async () => {
		await metadata({ collections: [] });

		expect(await values(listSearch.searchCollections)).toEqual([]);
	});

	it.each(DROPDOWNS)('let nobody wait for ever: %s', async (_, method, orElse) => {
		await used.fault('getWorkflow', { type: 'stallBefore' });

		await expect(open(method)).rejects.toThrow(
			[
				'The service did not give the list within 30 seconds.',
				"Choose Refresh List in this field's menu.",
				`To do without the list, ${orElse}.`,
			].join(' '),
		);

		expect(used.time.elapsedMs).toBe(30_000);
	});
});
