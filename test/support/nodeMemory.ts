/**
 * A program of its own, so that nobody else's memory is measured: runs the node, once for each order,
 * and prints how far its memory went above what it was before.
 */
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { binaryItem, type BinaryMode } from './binary';
import { chunks } from './files';
import { runNode } from './n8n';

export interface MemoryOrder {
	credential: ICredentialDataDecryptedObject;
	parameters: INodeParameters;
	mode: BinaryMode;
	/** In bytes, of the input item's file. The node runs with a small one before it is measured. */
	size: number;
}

/** In bytes, above what it was just before the run. */
export interface NodeMemory {
	/** Only that of the first order says something: later ones use what the process has not given back. */
	resident: number;
	/** Of buffers alone. */
	buffers: number;
	/** Why the measured run failed, if it did. */
	error?: { message: string; description?: string | null };
}

const SMALL = 64 * 1024;
const SAMPLE_EVERY_MS = 5;

const itemOf = async (mode: BinaryMode, size: number) =>
	await binaryItem({
		mode,
		files: {
			data: { data: Readable.from(chunks(size)), fileName: 'a.pdf', mimeType: 'application/pdf' },
		},
	});

const now = () => {
	const { rss, arrayBuffers } = process.memoryUsage();
	return { resident: rss, buffers: arrayBuffers };
};

async function measure({ credential, parameters, mode, size }: MemoryOrder): Promise<NodeMemory> {
	const run = async (items: Parameters<typeof runNode>[0]['items']) =>
		await runNode({ credential, parameters, items, binaryMode: mode });
	const warmUp = await run([await itemOf(mode, SMALL)]);
	if (warmUp.error) throw warmUp.error;
	const items = [await itemOf(mode, size)];
	global.gc?.();
	await sleep(100);
	const before = now();
	const most = { ...before };
	const sampling = setInterval(() => {
		const { resident, buffers } = now();
		most.resident = Math.max(most.resident, resident);
		most.buffers = Math.max(most.buffers, buffers);
	}, SAMPLE_EVERY_MS);
	const { error } = await run(items);
	clearInterval(sampling);
	return {
		error: error && { message: error.message, description: error.description },
		resident: most.resident - before.resident,
		buffers: most.buffers - before.buffers,
	};
}

async function main(orders: MemoryOrder[]) {
	const memories: NodeMemory[] = [];
	for (const order of orders) memories.push(await measure(order));
	console.log(JSON.stringify(memories));
}

void main(JSON.parse(process.argv[2]) as MemoryOrder[]);
