/**
 * A program of its own, so that nobody else's memory is measured: runs the node, once for each order,
 * and prints how far what it held in memory went above what it was before.
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

export interface NodeMemory {
	/** The most that texts, objects and buffers took above what they took just before the run, in bytes. */
	held: number;
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

/** Not what the process has from the system: it does not give that back between runs. */
const heldNow = () => {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
};

async function measure({ credential, parameters, mode, size }: MemoryOrder): Promise<NodeMemory> {
	const run = async (items: Parameters<typeof runNode>[0]['items']) =>
		await runNode({ credential, parameters, items, binaryMode: mode });
	const warmUp = await run([await itemOf(mode, SMALL)]);
	if (warmUp.error) throw warmUp.error;
	const items = [await itemOf(mode, size)];
	global.gc?.();
	await sleep(100);
	const before = heldNow();
	let most = before;
	const sampling = setInterval(() => (most = Math.max(most, heldNow())), SAMPLE_EVERY_MS);
	const { error } = await run(items);
	clearInterval(sampling);
	return {
		error: error && { message: error.message, description: error.description },
		held: most - before,
	};
}

async function main(orders: Record<string, MemoryOrder>) {
	const memories: Record<string, NodeMemory> = {};
	for (const [name, order] of Object.entries(orders)) memories[name] = await measure(order);
	console.log(JSON.stringify(memories));
}

void main(JSON.parse(process.argv[2]) as Record<string, MemoryOrder>);
