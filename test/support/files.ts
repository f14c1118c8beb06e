import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';

/** A file as a test hands it to the node, whose bytes are at hand. */
export interface TestFile {
	data: Buffer;
	fileName: string;
	mimeType: string;
}

export const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');

/** One of the example documents. */
export function sample(fileName: string): TestFile {
	const data = readFileSync(resolve('examples/files', fileName));
	return { data, fileName, mimeType: 'application/pdf' };
}

export function textFile(fileName: string, text = fileName, mimeType = 'text/plain'): TestFile {
	return { data: Buffer.from(text), fileName, mimeType };
}

/** A PDF of which each page has a width of its own, so that pages can be told apart. */
export async function pdfOfWidths(...widths: number[]): Promise<Buffer> {
	const pdf = await PDFDocument.create();
	for (const width of widths) pdf.addPage([width, 200]);
	return Buffer.from(await pdf.save());
}

export async function pageWidths(bytes: Buffer): Promise<number[]> {
	const pdf = await PDFDocument.load(bytes);
	return pdf.getPages().map((page) => page.getWidth());
}

const CHUNK = Buffer.alloc(64 * 1024, 'x');

/** The bytes of a large file that nobody has to hold whole. */
export function* chunks(size: number) {
	for (let left = size; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
}
