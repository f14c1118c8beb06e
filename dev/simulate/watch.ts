import { format } from 'node:util';
import { note, type Figures } from './figures.ts';
import type { Stage } from './stage.ts';

/**
 * From now on sees what this process says and does beside its executions: lines of n8n's log, what is
 * written to the console, warnings of Node.js, and errors that nobody catches.
 */
export function watchProcess({ node, services }: Stage) {
	const keys = services.flatMap(({ account }) =>
		Object.values(account).flatMap((environment) =>
			Object.values(environment.keys).map(({ secret }) => secret),
		),
	);
	const secrets = [...keys, 'X-Amz-Signature='];
	const leaked: string[] = [];
	const unexplained: string[] = [];

	const { logger } = node.executeContext({});
	Object.assign(logger, {
		log: (level: string, message: string, metadata: object) => {
			const line = `${level}: ${message} ${JSON.stringify(metadata)}`;
			if (secrets.some((secret) => line.includes(secret))) leaked.push(`n8n's log: ${line}`);
		},
	});
	console.error = (...said: unknown[]) => unexplained.push(format(...said));
	process.on('warning', ({ stack }) => unexplained.push(String(stack)));
	for (const event of ['unhandledRejection', 'uncaughtException']) {
		process.on(event, (error: Error) => unexplained.push(`${event}: ${error.stack}`));
	}

	return {
		/** Notes what it has seen since it was last asked. */
		report(figures: Figures) {
			for (const what of leaked.splice(0)) note(figures, { wrong: 'leaked', what });
			for (const what of unexplained.splice(0)) note(figures, { wrong: 'unexplained', what });
		},
	};
}
