import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Line, StoredFile } from './model.ts';
import type { PdfTools } from './pdf.ts';

const maximumReadableSize = 50 * 1024 * 1024;
/** Nobody else's requests should wait for a long text: its beginning is enough. */
const maximumTextSize = 1024 * 1024;

export async function isPdf(file: StoredFile) {
	return (await beginningOf(file, 5)).toString('latin1') === '%PDF-';
}

/** undefined where the service keeps no files. */
export async function contentOf({ path, bytes }: StoredFile): Promise<Buffer | undefined> {
	return path ? await readFile(path) : bytes;
}

async function beginningOf({ path, bytes }: StoredFile, size: number): Promise<Buffer> {
	if (path) return await buffer(createReadStream(path, { end: size - 1 }));
	return (bytes ?? Buffer.of()).subarray(0, size);
}

/** By the hash of the PDF: demonstrations and tests extract the same few again and again. */
const linesOfPdfs = new Map<string, Line[]>();
const maximumRemembered = 100;

/** The text of a PDF or a text file; no lines for anything else. Throws when a PDF is broken. */
export async function readLines(
	file: StoredFile,
	contentType: string,
	pdfs: PdfTools,
): Promise<Line[]> {
	const known = linesOfPdfs.get(file.sha256);
	if (known) return known;
	if (file.size > maximumReadableSize) return [];
	if (await isPdf(file)) {
		const lines = await pdfs.linesOf((await contentOf(file)) ?? Buffer.of());
		if (linesOfPdfs.size === maximumRemembered) linesOfPdfs.clear();
		linesOfPdfs.set(file.sha256, lines);
		return lines;
	}
	if (contentType.startsWith('text/')) {
		return splitText((await beginningOf(file, maximumTextSize)).toString());
	}
	return [];
}

function splitText(text: string): Line[] {
	return text.split(/\r?\n/).map((line) => line.trim().split(/\t| {2,}/));
}
