import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { operations } from '../../nodes/DocumentExtraction/actions';
import { binaryItem, readBinary, type BinaryMode } from '../support/binary';
import { textFile } from '../support/files';
import { runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { BINARY_MODES } from '../support/profiles';
import { useService } from '../support/useService';

const LETTER = textFile('letter.txt', 'Invoice number: 1\n');

describe.each(BINARY_MODES)('of two items one fails, with files in %s', (mode: BinaryMode) => {
	const used = useService({ profile: 'atlas', extractionMs: 20, startMs: 5 });

	/** What each operation needs to succeed in the main workflow. */
	const parametersOf: Record<string, () => Promise<INodeParameters>> = {
		'collection.merge': async () => {
			const [, { id }] = used.client.workflow.collections;
			await used.service.control.seed({ documents: 1, collection: id });
			return { collection: { __rl: true, mode: 'id', value: id }, binaryPropertyName: 'merged' };
		},
		'document.confirmUpload': async () => {
			const { answer, url } = await used.client.createUploadUrl({
				file_name: 'letter.txt',
				content_type: 'text/plain',
				file_size: LETTER.data.length,
			});
			await used.client.put(url, LETTER.data, { 'content-type': 'text/plain' });
			return { documentIds: used.client.documentId(answer) };
		},
		'document.createUploadUrl': async () => ({
			fileName: 'letter.txt',
			fileSize: LETTER.data.length,
		}),
		'document.getAll': async () => {
			await used.service.control.seed({ documents: 1 });
			return {};
		},
		'document.upload': async () => ({}),
		'extraction.extractDocuments': async () => ({
			documentIds: (await used.service.control.seed({ documents: 1 })).documentIds[0],
		}),
		'extraction.extractFromFiles': async () => ({}),
		'extraction.extractOne': async () => ({
			documentId: (await used.service.control.seed({ documents: 1 })).documentIds[0],
		}),
		'extraction.getAll': async () => {
			await used.service.control.seed({ documents: 1 });
			return {};
		},
		'workflow.get': async () => ({}),
		'workflow.waitUntilExtracted': async () => ({}),
	};

	/** The second item names a workflow that the service does not know. */
	const runOf = async (name: string, settings: RunOptions) => {
		const [resource, operation] = name.split('.');
		const items = await Promise.all(
			[used.client.workflow.id, 'unknown-workflow'].map(
				async (workflow, number): Promise<INodeExecutionData> =>
					await binaryItem({ json: { number, workflow }, files: { data: LETTER }, mode }),
			),
		);
		return await runNode({
			credential: used.service.credential(),
			binaryMode: mode,
			parameters: {
				resource,
				operation,
				...(await parametersOf[name]()),
				options: { workflowId: '={{ $json.workflow }}', settleTime: 0.1 },
			},
			items,
			...settings,
		});
	};

	// Check Setup does not fail for an unknown workflow: it says so in a row of its output.
	const names = Object.entries(operations)
		.flatMap(([resource, ofResource]) =>
			Object.keys(ofResource).map((operation) => `${resource}.${operation}`),
		)
		.filter((name) => name !== 'workflow.checkSetup');

	const NOT_FOUND = 'The service cannot find what was requested (404)';

	it.each(names)('%s goes on with both, paired, when it continues on fail', async (name) => {
		const { error, output, errorOutput } = await runOf(name, { onError: 'continueRegularOutput' });

		expect(error).toBeUndefined();
		expect(errorOutput).toEqual([]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(output[0].json).not.toHaveProperty('error');
		const [, failed] = output;
		expect(failed.json).toMatchObject({
			number: 1,
			error: NOT_FOUND,
			message: expect.stringContaining("'unknown-workflow' is the ID of a workflow"),
			details: { httpCode: '404' },
		});
		expect(await readBinary(failed, 'data')).toEqual(LETTER.data);
	});

	it.each(names)('%s routes the failed one to the error output', async (name) => {
		const { error, output, errorOutput } = await runOf(name, { onError: 'continueErrorOutput' });

		expect(error).toBeUndefined();
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
		expect(errorOutput).toMatchObject([
			{
				json: { number: 1, workflow: 'unknown-workflow', error: NOT_FOUND },
				pairedItem: { item: 1 },
			},
		]);
		expect(await readBinary(errorOutput[0], 'data')).toEqual(LETTER.data);
	});

	it.each(names)('%s stops with the item that failed when it does not continue', async (name) => {
		const { error, output, status } = await runOf(name, {});

		expect(status).toBe('error');
		expect(output).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: NOT_FOUND,
			httpCode: '404',
			context: { itemIndex: 1 },
		});
	});
});
