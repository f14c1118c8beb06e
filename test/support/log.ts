import { randomUUID } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import { LoggerProxy } from 'n8n-workflow';

export interface LogLine {
	level: 'error' | 'warn' | 'info' | 'debug';
	message: string;
	metadata: Record<string, unknown>;
}

interface Loggers {
	Logger: new (...parameters: unknown[]) => { getInternalLogger(): { silent: boolean } };
}

/** To write n8n's log takes more time than most of what the tests do. */
export function writeLog(isWritten: boolean) {
	const ofCore = createRequire(createRequire(__filename).resolve('n8n-core'));
	const { Logger } = ofCore('@n8n/backend-common') as Loggers;
	Container.get(Logger).getInternalLogger().silent = !isWritten;
}

/** Writes a line into n8n's log, and gives the bytes where it begins and ends. */
async function mark(log: FileHandle) {
	const marker = randomUUID();
	const { size: from } = await log.stat();
	// The proxy is dead until some part of n8n has started the logger.
	Container.get(InstanceSettings);
	LoggerProxy.debug(marker);
	// n8n writes its log in the background, but in order: what came before the marker is there too.
	for (;;) {
		const { size } = await log.stat();
		const text = await read(log, from, size);
		const found = text.indexOf(marker);
		const end = text.indexOf('\n', found) + 1;
		if (found >= 0 && end > 0) {
			return { begin: from + text.lastIndexOf('\n', found) + 1, end: from + end };
		}
		// Not for a time: the clock may be a virtual one that stands still.
		await new Promise(setImmediate);
	}
}

async function read(log: FileHandle, from: number, to: number): Promise<Buffer> {
	const { buffer, bytesRead } = await log.read(Buffer.alloc(to - from), 0, to - from, from);
	return buffer.subarray(0, bytesRead);
}

/** Everything that n8n logs, down to debug level, while the action runs. */
export async function logOf(action: () => Promise<unknown>): Promise<LogLine[]> {
	// `a+` makes the file if n8n has not opened it yet.
	const log = await open(process.env.N8N_LOG_FILE_LOCATION!, 'a+');
	writeLog(true);
	try {
		const before = await mark(log);
		await action();
		const after = await mark(log);
		const text = (await read(log, before.end, after.begin)).toString();
		return text
			.split('\n')
			.filter(Boolean)
			.map((line) => JSON.parse(line) as LogLine);
	} finally {
		writeLog(false);
		await log.close();
	}
}
