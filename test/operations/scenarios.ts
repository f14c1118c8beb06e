import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Ledger } from '../../dev/service/ledger';
import { linesOf } from '../../dev/service/profiles/profile';
import type { LoggedRequest } from '../../dev/service/requestLog';
import type { Operation } from '../../nodes/DocumentExtraction/actions/operation';
import { ALL_DETAILS, API_DETAILS } from '../../nodes/DocumentExtraction/account/apiDetails';
import { binaryItem, type BinaryMode } from '../support/binary';
import { sample, sha256, type TestFile } from '../support/files';
import type { Service } from '../support/service';
import { find, type ServiceClient } from '../support/serviceClient';
import { ApiReference, documentRows, type WireRequest } from './apiReference';

interface World {
	service: Service;
	client: ServiceClient;
	reference: ApiReference;
	mode: BinaryMode;
}

/** What the service can tell after a run. */
export interface Seen {
	/** What it answered to requests of one kind, in the order in which they came. */
	answers: (operation: LoggedRequest['operation']) => unknown[];
	log: LoggedRequest[];
	ledger: Ledger;
}

/** An output item, with its files as hashes. */
export interface ExpectedItem {
	json: IDataObject;
	item: number;
	files?: Record<string, { sha256: string; fileName: string; mimeType: string }>;
}

/**
 * One operation at work. A scenario knows no profile: what differs from one to the next is the
 * credential's API Details alone. What is expected comes from these, from what the service answered
 * and from its ledger.
 */
interface Scenario {
	parameters: INodeParameters;
	items: INodeExecutionData[];
	requests: (seen: Seen) => WireRequest[];
	output: (seen: Seen) => ExpectedItem[];
}

const rowsOf = (answer: unknown) =>
	((answer as { items?: unknown[] } | null)?.items ?? []) as IDataObject[];

const statusIn = (answer: unknown) => find(answer, 'extraction_status') as string;

/** The files of two items, as a folder and an email would hand them on. */
const FILES = [
	{ item: 0, field: 'data', ...sample('invoice-harbour-supplies.pdf') },
	{ item: 1, field: 'attachment_0', ...sample('purchase-order-larkfield.pdf') },
	{ item: 1, field: 'attachment_1', ...sample('rechnung-mueller-soehne.pdf') },
];

type SourceFile = (typeof FILES)[number];

const inbox = async (mode: BinaryMode) =>
	await Promise.all(
		[0, 1].map(async (number) => {
			const files = FILES.filter(({ item }) => item === number);
			return await binaryItem({
				json: { number },
				files: Object.fromEntries(files.map((file) => [file.field, file])),
				mode,
			});
		}),
	);

const described = ({ field, fileName, mimeType, data }: SourceFile) => ({
	field,
	name: fileName,
	mimeType,
	size: data.length,
});

const kept = ({ field, fileName, mimeType, data }: SourceFile) => ({
	[field]: { sha256: sha256(data), fileName, mimeType },
});

const idOf = ({ ledger }: Seen, { data }: TestFile) =>
	String(ledger.uploads.find((upload) => upload.sha256 === sha256(data))?.documentId);

const idsOf = (seen: Seen) => FILES.map((file) => idOf(seen, file));

/** The answer that gave the document its ID. */
const answerAbout = (
	seen: Seen,
	reference: ApiReference,
	kind: 'upload' | 'createUploadUrl',
	id: string,
) => seen.answers(kind).find((answer) => reference.documentIdIn(answer) === id);

function uploadRequests({ reference }: World, method: string, seen: Seen): WireRequest[] {
	if (method === 'direct') return FILES.map((file) => reference.upload(file));
	return [
		...FILES.map((file) => reference.createUploadUrl(file)),
		...FILES.map((file) => {
			const answer = answerAbout(seen, reference, 'createUploadUrl', idOf(seen, file));
			return reference.putFile(file, answer);
		}),
		...reference.confirm(idsOf(seen)),
	];
}

/** What the node shows of the service's answers: signed URLs are not for later nodes. */
function uploadAnswer({ reference }: World, method: string, seen: Seen, id: string) {
	if (method === 'direct') return answerAbout(seen, reference, 'upload', id);
	const confirmation = seen.log.find(
		({ operation, body }) => operation === 'confirm' && JSON.stringify(body).includes(id),
	);
	return confirmation?.answer ?? null;
}

const uploading =
	(method: 'direct' | 'signed', parameters: INodeParameters) =>
	async (world: World): Promise<Scenario> => ({
		parameters: { binaryPropertyName: '*', ...parameters },
		items: await inbox(world.mode),
		requests: (seen) => uploadRequests(world, method, seen),
		output: (seen) =>
			FILES.map((file) => {
				const documentId = idOf(seen, file);
				const response = uploadAnswer(world, method, seen, documentId) as IDataObject;
				const json = { documentId, file: described(file), uploadMethod: method, response };
				return { item: file.item, json };
			}),
	});

const extractingFiles =
	(method: 'direct' | 'signed') =>
	async (world: World): Promise<Scenario> => ({
		parameters: {
			binaryPropertyName: '*',
			simple: false,
			options: { uploadMethod: method, keepInputFiles: true },
		},
		items: await inbox(world.mode),
		requests: (seen) => {
			const ids = idsOf(seen);
			return [
				// What earlier documents have shows which columns are to come.
				world.reference.getExtractions({ page: '1', limit: '200' }),
				...uploadRequests(world, method, seen),
				world.reference.extractBulk({ document_ids: ids }),
				world.reference.getDocuments(),
				...ids.map((id) =>
					world.reference.getExtractions({ document_id: id, page: '1', limit: '200' }),
				),
			];
		},
		output: (seen) =>
			FILES.flatMap((file) => {
				const documentId = idOf(seen, file);
				const readings = seen.log.filter(({ query }) => query.document_id === documentId);
				return rowsOf(readings.at(-1)?.answer).map((extraction) => ({
					item: file.item,
					json: { documentId, file: described(file), extraction },
					files: kept(file),
				}));
			}),
	});

/** By operation; what follows a comma tells several of one apart. */
export const SCENARIOS: Record<string, (world: World) => Promise<Scenario>> = {
	'extraction.extractFromFiles, direct': extractingFiles('direct'),

	'extraction.extractFromFiles, signed': extractingFiles('signed'),

	'extraction.extractDocuments': async ({ service, client, reference }) => {
		const [{ id: collection }] = client.workflow.collections;
		const { documentIds } = await service.control.seed({ documents: 3, collection });
		// Long enough to be seen: a status that was finished all the time may be an old one.
		await service.control.settings({ extractionMs: 2_000 });
		const columns = client.workflow.columns.slice(1, 3).map(({ id }) => String(id));
		return {
			parameters: {
				documentIds: '={{ $json.ids }}',
				collection: { __rl: true, mode: 'id', value: collection },
				wait: true,
				options: { columnIds: columns, force: true, settleTime: 0.2 },
			},
			items: [{ json: { ids: documentIds.slice(0, 2) } }, { json: { ids: documentIds[2] } }],
			requests: () => [
				reference.extractBulk({
					document_ids: documentIds,
					collection_id: collection,
					column_ids: columns,
					force: true,
				}),
				reference.getDocuments(),
			],
			output: ({ answers }) => {
				const extractionStatus = statusIn(answers('getDocuments').at(-1));
				const workflowId = client.workflow.id;
				const done = { workflowId, started: true, finished: true, extractionStatus };
				return documentIds.map((documentId, index) => ({
					item: index < 2 ? 0 : 1,
					json: { documentId, ...done },
				}));
			},
		};
	},

	'extraction.extractOne': async ({ service, reference }) => {
		const { documentIds } = await service.control.seed({ documents: 2 });
		return {
			parameters: { documentId: '={{ $json.id }}' },
			items: documentIds.map((id) => ({ json: { id } })),
			requests: () => documentIds.map((id) => reference.extractOne(id)),
			output: ({ log }) =>
				documentIds.map((documentId, item) => {
					const { path } = reference.extractOne(documentId);
					const request = log.find((logged) => logged.path === path);
					const answer = request?.answer as IDataObject;
					return { item, json: { documentId, started: true, response: answer } };
				}),
		};
	},

	'extraction.getAll': async ({ service, client, reference }) => {
		const [{ id: collection }] = client.workflow.collections;
		const wanted = { documents: 2, extractionsPerDocument: 3, collection };
		const { documentIds } = await service.control.seed(wanted);
		const queries = documentIds.map((id) => ({ document_id: id, collection_id: collection }));
		return {
			parameters: {
				simple: false,
				returnAll: true,
				documentIdFilter: '={{ $json.id }}',
				collection: { __rl: true, mode: 'id', value: collection },
			},
			items: documentIds.map((id) => ({ json: { id } })),
			requests: () =>
				queries.map((query) => reference.getExtractions({ ...query, page: '1', limit: '200' })),
			output: ({ log }) =>
				documentIds.flatMap((id, item) => {
					const rows = rowsOf(log.find(({ query }) => query.document_id === id)?.answer);
					return rows.map((json) => ({ item, json }));
				}),
		};
	},

	'document.upload, direct': uploading('direct', { options: { uploadMethod: 'direct' } }),

	'document.upload, signed': uploading('signed', { options: { uploadMethod: 'signed' } }),

	'document.upload, automatic': uploading('signed', {
		options: { uploadMethod: 'automatic', signedFromMb: 0.001 },
	}),

	'document.createUploadUrl': async ({ reference }) => ({
		parameters: {
			fileName: '={{ $json.name }}',
			contentType: '={{ $json.type }}',
			options: { fileSize: '={{ $json.size }}' },
		},
		items: FILES.map(({ fileName, mimeType, data }) => ({
			json: { name: fileName, type: mimeType, size: data.length },
		})),
		requests: () => FILES.map((file) => reference.createUploadUrl(file)),
		output: (seen) =>
			FILES.map(({ fileName, mimeType }, item) => {
				const own = seen.ledger.uploadUrls.find((url) => url.fileName === fileName);
				const documentId = String(own?.documentId);
				const answer = answerAbout(seen, reference, 'createUploadUrl', documentId);
				const { url, headers } = reference.uploadIn(answer);
				return {
					item,
					json: {
						documentId,
						uploadUrl: url,
						method: 'PUT',
						headers: { 'Content-Type': mimeType, ...headers },
						response: answer as IDataObject,
					},
				};
			}),
	}),

	'document.confirmUpload': async ({ client, reference }) => {
		const ids = await Promise.all(FILES.map(async (file) => await client.storedId(file)));
		const groups = [ids.slice(0, 2), ids.slice(2)];
		return {
			parameters: { documentIds: '={{ $json.ids }}' },
			items: groups.map((group) => ({ json: { ids: group.join(', ') } })),
			requests: () => groups.flatMap((group) => reference.confirm(group)),
			output: ({ log, ledger }) =>
				ids.map((documentId, index) => {
					const confirmation = log.find(({ body }) => JSON.stringify(body).includes(documentId));
					const answer = confirmation?.answer as IDataObject;
					const confirmed = ledger.uploads.find((upload) => upload.documentId === documentId)
						?.confirmed as boolean;
					return { item: index < 2 ? 0 : 1, json: { documentId, confirmed, response: answer } };
				}),
		};
	},

	'document.getAll': async ({ service, reference }) => {
		await service.control.seed({ documents: 3 });
		return {
			parameters: {
				returnAll: true,
				query: { parameters: [{ name: 'label', value: '={{ $json.label }}' }] },
			},
			items: [{ json: { label: 'a&b=c d/é' } }],
			requests: () => [reference.getDocuments({ label: 'a&b=c d/é' })],
			output: ({ answers }) => {
				const [answer] = answers('getDocuments');
				return documentRows(answer).map((json) => ({ item: 0, json: json as IDataObject }));
			},
		};
	},

	'workflow.get': async ({ reference }) => ({
		parameters: {},
		items: [{ json: {} }],
		requests: () => [reference.getWorkflow()],
		output: ({ answers }) => [{ item: 0, json: answers('getWorkflow')[0] as IDataObject }],
	}),

	'workflow.waitUntilExtracted': async ({ reference }) => ({
		parameters: { options: { settleTime: 0.2 } },
		items: [{ json: {} }],
		requests: () => [reference.getWorkflow()],
		output: ({ answers }) => {
			const workflow = answers('getWorkflow').at(-1) as IDataObject;
			const json = { finished: true, extractionStatus: statusIn(workflow), workflow };
			return [{ item: 0, json }];
		},
	}),

	'workflow.checkSetup': async ({ service, reference }) => ({
		parameters: { openApiDocument: service.account.openApiUrl },
		items: [{ json: {} }],
		requests: () => [
			reference.getOpenApi(service.account.openApiUrl),
			reference.getExtractions({ page: '1', limit: '200' }),
			reference.getDocuments(),
			// Only a GET is tried.
			...[reference.getWorkflow()].filter(({ method }) => method === 'GET'),
		],
		output: () => {
			const labels = ALL_DETAILS.map((detail) => API_DETAILS[detail].label);
			const lines = linesOf(service.account.apiDetails).split('\n');
			// In the order of the table.
			const enter = labels.flatMap((label) => lines.filter((line) => line.startsWith(`${label}:`)));
			const all = { apiDetail: 'All Entries', enter: enter.join('\n') };
			const others = ['Rows', ...labels.filter((label) => label !== 'Rows')];
			return [all, ...others.map((apiDetail) => ({ apiDetail, enter: '–' }))].map((item) => ({
				item: 0,
				json: expect.objectContaining(item) as IDataObject,
			}));
		},
	}),

	'collection.merge': async ({ client, reference }) => {
		const [, { id: collection, name }] = client.workflow.collections;
		for (const { data, fileName } of FILES) {
			await client.upload({ bytes: data, fileName }, { collection_id: collection });
		}
		return {
			parameters: {
				collection: { __rl: true, mode: 'id', value: collection },
				binaryPropertyName: 'merged',
			},
			items: [{ json: {} }],
			requests: () => [reference.merge(collection)],
			output: ({ answers, ledger }) => {
				const [answer] = answers('merge');
				const [merged] = ledger.merges;
				if (answer !== null) return [{ item: 0, json: answer as IDataObject }];
				const files = {
					merged: { sha256: merged.sha256, fileName: `${name}.pdf`, mimeType: 'application/pdf' },
				};
				return [{ item: 0, json: { collectionId: collection }, files }];
			},
		};
	},
};

/** By operation and what fails: the items of each go on with the reason. */
export const FAILURES: typeof SCENARIOS = {
	'extraction.extractOne, no such document': async ({ reference }) => ({
		parameters: { documentId: '={{ $json.id }}' },
		items: [{ json: { id: 'gone' } }],
		requests: () => [reference.extractOne('gone')],
		output: () => {
			const error = expect.stringContaining('(404)') as string;
			const message = expect.stringContaining('The service says: ') as string;
			return [{ item: 0, json: { id: 'gone', error, message, details: { httpCode: '404' } } }];
		},
	}),
};

/** A scenario by its name, on a service that it gives what it needs. */
export async function arranged(
	name: string,
	{ service, client }: Pick<World, 'service' | 'client'>,
	mode: BinaryMode = 'memory',
): Promise<Scenario> {
	const reference = new ApiReference(service);
	const [resource, operation] = operationOf(name).split('.');
	const arrange = SCENARIOS[name] ?? FAILURES[name];
	const scenario = await arrange({ service, client, reference, mode });
	return { ...scenario, parameters: { resource, operation, ...scenario.parameters } };
}

export const operationOf = (scenario: string) => scenario.split(',')[0];

export const nameOf = ({ resource, value }: Operation) => `${resource}.${value}`;

/** As pages name an operation. */
export const headingOf = ({ resource, name }: Operation) =>
	`${resource[0].toUpperCase()}${resource.slice(1)} › ${name}`;
