/** A process that runs episodes for run.ts. */
import { format } from 'node:util';
import { openStage, runEpisode, type Order, type Report } from './episode.ts';
import { note } from './figures.ts';

const STACK_LINES = 10;

const stage = await openStage();
const { leaked, unexplained } = watchProcess();

/** What this process says and does beside its executions, since it was last asked. */
function watchProcess() {
	const accounts = stage.services.flatMap(({ account }) => Object.values(account));
	const keys = accounts.flatMap((environment) => Object.values(environment.keys));
	const secrets = [...keys.map(({ secret }) => secret), 'X-Amz-Signature='];
	const said = { leaked: [] as string[], unexplained: [] as string[] };
	const complain = (what: string) => said.unexplained.push(what);

	const { logger } = stage.node.executeContext({});
	Object.assign(logger, {
		log: (level: string, message: string, metadata: object) => {
			const line = `n8n's log: ${level}: ${message} ${JSON.stringify(metadata)}`;
			if (secrets.some((secret) => line.includes(secret))) said.leaked.push(line);
		},
	});
	console.error = (...texts: unknown[]) => complain(format(...texts));
	process.on('warning', ({ stack }) => complain(String(stack)));
	for (const event of ['unhandledRejection', 'uncaughtException']) {
		process.on(event, (error: Error) => complain(`${event}: ${error.stack}`));
	}
	return said;
}

async function run(order: Order): Promise<Report> {
	// Stacks of the thousands of errors that are made here take longer than the errors.
	Error.stackTraceLimit = order.isTraced ? STACK_LINES : 0;
	const report = await runEpisode(stage, order);
	const { figures } = report;
	for (const what of leaked.splice(0)) note(figures, { wrong: 'leaked', what });
	for (const what of unexplained.splice(0)) note(figures, { wrong: 'unexplained', what });
	return report;
}

process.on('message', (order: Order) => {
	run(order).then(
		(report) => process.send?.(report),
		// Or it would be waited for for ever.
		(error: Error) => process.stderr.write(`${error.stack}\n`, () => process.exit(1)),
	);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
