import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { Container } from '@n8n/di';

export interface LogLine {
	level: 'error' | 'warn' | 'info' | 'debug';
	message: string;
	metadata: Record<string, unknown>;
}

interface Loggers {
	Logger: new (
		...parameters: unknown[]
	) => {
		getInternalLogger(): EventEmitter & { silent: boolean };
	};
}

/** What all of n8n's loggers write to: a stream of lines. */
function internalLogger() {
	const ofCore = createRequire(createRequire(__filename).resolve('n8n-core'));
	const { Logger } = ofCore('@n8n/backend-common') as Loggers;
	return Container.get(Logger).getInternalLogger();
}

/** To write n8n's log takes more time than most of what the tests do. */
export function writeNoLog() {
	internalLogger().silent = true;
}

/** Everything that n8n logs, down to debug level, while the action runs. */
export async function logOf(action: () => Promise<unknown>): Promise<LogLine[]> {
	const lines: LogLine[] = [];
	const collect = ({ level, message, ...metadata }: LogLine) =>
		lines.push({ level, message, metadata });
	const logger = internalLogger();
	logger.on('data', collect);
	logger.silent = false;
	try {
		await action();
		// The stream's last lines come after the action.
		await new Promise(setImmediate);
	} finally {
		logger.silent = true;
		logger.off('data', collect);
	}
	return lines;
}
