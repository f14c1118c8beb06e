import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import { LoggerProxy } from 'n8n-workflow';

export interface LogLine {
	level: 'error' | 'warn' | 'info' | 'debug';
	message: string;
	metadata: Record<string, unknown>;
}

async function readLines() {
	// `a+` makes the file if n8n has not opened it yet.
	const text = await readFile(process.env.N8N_LOG_FILE_LOCATION!, { encoding: 'utf8', flag: 'a+' });
	return text.split('\n');
}

async function mark() {
	const marker = randomUUID();
	// The proxy is dead until some part of n8n has started the logger.
	Container.get(InstanceSettings);
	LoggerProxy.debug(marker);
	// n8n writes its log in the background, but in order: what came before the marker is there too.
	for (;;) {
		const lines = await readLines();
		const index = lines.findIndex((line) => line.includes(marker));
		if (index >= 0) return { lines, index };
		await delay(5);
	}
}

/** Everything that n8n logs, down to debug level, while the action runs. */
export async function logOf(action: () => Promise<unknown>): Promise<LogLine[]> {
	const before = await mark();
	await action();
	const after = await mark();
	return after.lines
		.slice(before.index + 1, after.index)
		.map((line) => JSON.parse(line) as LogLine);
}
