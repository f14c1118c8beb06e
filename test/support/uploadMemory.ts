/**
 * A program of its own, so that nobody else's memory is measured: uploads one large file, and prints
 * how far its memory went above what it was before.
 */
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { binaryItem, type BinaryMode } from './binary';
import { runNode } from './n8n';

export interface UploadOrder {
	credential: ICredentialDataDecryptedObject;
	uploadMethod: 'direct' | 'signed';
	mode: BinaryMode;
	/** In bytes. */
	size: number;
}

/** In bytes, above what it was just before the upload. */
export interface UploadMemory {
	resident: number;
	/** Of buffers alone. */
	buffers: number;
}

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const SAMPLE_EVERY_MS = 5;

function* chunks(size: number) {
	for (let left = size; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
}

const itemOf = async ({ mode }: UploadOrder, size: number) =>
	await binaryItem({
		mode,
		files: {
			data: { data: Readable.from(chunks(size)), fileName: 'a.pdf', mimeType: 'application/pdf' },
		},
	});

async function upload(
	{ credential, uploadMethod, mode }: UploadOrder,
	items: Parameters<typeof runNode>[0]['items'],
) {
	const { error } = await runNode({
		credential,
		parameters: { resource: 'document', operation: 'upload', uploadMethod },
		items,
		binaryMode: mode,
	});
	if (error) throw error;
}

const now = () => {
	const { rss, arrayBuffers } = process.memoryUsage();
	return { resident: rss, buffers: arrayBuffers };
};

async function measure(order: UploadOrder): Promise<UploadMemory> {
	await upload(order, [await itemOf(order, CHUNK.length)]);
	const items = [await itemOf(order, order.size)];
	global.gc?.();
	await sleep(100);
	const before = now();
	const most = { ...before };
	const sampling = setInterval(() => {
		const { resident, buffers } = now();
		most.resident = Math.max(most.resident, resident);
		most.buffers = Math.max(most.buffers, buffers);
	}, SAMPLE_EVERY_MS);
	await upload(order, items);
	clearInterval(sampling);
	return {
		resident: most.resident - before.resident,
		buffers: most.buffers - before.buffers,
	};
}

void measure(JSON.parse(process.argv[2]) as UploadOrder).then((memory) =>
	console.log(JSON.stringify(memory)),
);
