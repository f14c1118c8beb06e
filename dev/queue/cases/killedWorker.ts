import assert from 'node:assert/strict';
import { until } from '../../machine/until.ts';
import { chain, extractionNode, manualTrigger } from '../../n8n/workflow.ts';
import { documents } from '../documents.ts';
import type { Answer } from '../intake.ts';
import type { Case, Stage } from '../stage.ts';
import { hasValues, tallyOf } from '../tally.ts';

const documentCount = 40;
const atOnce = 20;
const extractionMs = 4_000;

const extractRest = 'Extract what is not extracted';
const getAll = 'Get all values';

/** What someone runs by hand after a crash. */
const recovery = chain('Values of documents whose executions failed', [
	manualTrigger,
	{
		...extractionNode({
			operation: 'extractDocuments',
			wait: true,
			// If nothing is left to extract, the node never sees the workflow extracting.
			options: { maxWait: 20, onTimeout: 'status' },
		}),
		name: extractRest,
	},
	{ ...extractionNode({ operation: 'getAll', returnAll: true, simple: false }), name: getAll },
]);

/** Values that reached the service's results, although the execution that asked for them died. */
async function recovered({ cluster: { main }, intake }: Stage): Promise<unknown[]> {
	const workflowId = await main.importWorkflow(recovery, [intake.credential]);
	const execution = await main.runManually(workflowId);
	assert.equal(execution.status, 'success', execution.errorMessage);
	return execution.items(getAll).map(({ json }) => json);
}

export const killedWorker: Case = {
	title: 'a worker that is killed loses no document silently',

	run: async (stage, context) => {
		const { cluster, service, intake, assertAllOnce } = stage;
		await service.control.settings({ extractionMs });
		const before = (await intake.executions()).length;
		const alarmsBefore = (await intake.alarms()).length;
		const sent = documents(documentCount);
		const [killed] = cluster.workers;

		const answering = intake.sendAll(sent, atOnce);
		await until(async () => (await service.control.ledger()).extractions.length > atOnce / 2);
		await killed.kill();
		await cluster.addWorker();
		const answers = await answering;
		// n8n answers a moment before it writes down how the execution ended.
		await until(async () =>
			(await intake.executions()).every(({ status }) => status !== 'running'),
		);

		const executions = (await intake.executions()).slice(before);
		const failed = executions.filter(({ status }) => status !== 'success');
		const unanswered = answers.filter((answer) => !hasValues(answer));
		assert.ok(failed.length > 0, 'the worker was in the middle of something');
		assert.deepEqual([...new Set(failed.map(({ status }) => status))], ['error']);
		assert.equal(
			unanswered.length,
			failed.length,
			'n8n shows each execution that did not end well',
		);
		assert.ok(
			unanswered.every(({ status }) => status === 500),
			'whoever sent it is told',
		);
		await until(async () => (await intake.alarms()).length === alarmsBefore + failed.length);
		const afterCrash = tallyOf(sent, answers, await service.control.ledger());
		assert.equal(afterCrash.wrongs.doubled, 0, 'n8n runs nothing a second time by itself');

		const rows = await recovered(stage);
		const { uploads } = await service.control.ledger();
		const fromService = unanswered.flatMap((answer): Answer[] => {
			const upload = uploads.find(({ sha256 }) => sha256 === answer.document.sha256);
			const row = upload && rows.find((each) => JSON.stringify(each).includes(upload.documentId));
			if (!upload || !row) return [];
			const file = { name: answer.document.name };
			return [{ ...answer, items: [{ documentId: upload.documentId, file, extraction: row }] }];
		});
		const atService = new Set(fromService.map(({ document }) => document));
		const toSendAgain = unanswered
			.map(({ document }) => document)
			.filter((each) => !atService.has(each));
		const again = await intake.sendAll(toSendAgain, atOnce);

		context.diagnostic(
			`${failed.length} of ${executions.length} executions failed visibly; the service had ${fromService.length} of their documents, ${toSendAgain.length} were sent again`,
		);
		const all = [...answers, ...fromService, ...again];
		await assertAllOnce(sent, all);
	},
};
