import { open, readFile } from 'node:fs/promises';
import { extractTextItems, type StructuredTextItem } from 'unpdf';
import type { StoredFile } from './model.ts';

/** A line of a document, as cells from left to right. */
export type Line = string[];

const maximumReadableSize = 50 * 1024 * 1024;
/** Nobody else's requests should wait for a long text: its beginning is enough. */
const maximumTextSize = 1024 * 1024;

export async function isPdf({ path }: StoredFile) {
	if (!path) return false;
	return (await beginningOf(path, 5)).toString('latin1') === '%PDF-';
}

async function beginningOf(path: string, size: number): Promise<Buffer> {
	const file = await open(path);
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
		return buffer.subarray(0, bytesRead);
	} finally {
		await file.close();
	}
}

/** By the hash of the PDF: demonstrations and tests extract the same few again and again. */
const linesOfPdfs = new Map<string, Line[]>();
const maximumRemembered = 100;

/** The text of a PDF or a text file; no lines for anything else. Throws when a PDF is broken. */
export async function readLines(file: StoredFile, contentType: string): Promise<Line[]> {
	const known = linesOfPdfs.get(file.sha256);
	if (known) return known;
	if (!file.path || file.size > maximumReadableSize) return [];
	if (await isPdf(file)) {
		const lines = await readPdfLines(await readFile(file.path));
		if (linesOfPdfs.size === maximumRemembered) linesOfPdfs.clear();
		linesOfPdfs.set(file.sha256, lines);
		return lines;
	}
	if (contentType.startsWith('text/')) {
		return splitText((await beginningOf(file.path, maximumTextSize)).toString());
	}
	return [];
}

function splitText(text: string): Line[] {
	return text.split(/\r?\n/).map((line) => line.trim().split(/\t| {2,}/));
}

async function readPdfLines(bytes: Buffer): Promise<Line[]> {
	const { items } = await extractTextItems(new Uint8Array(bytes));
	return items.flatMap(pageLines);
}

// A PDF knows no lines, only pieces of text and where they stand.
function pageLines(items: StructuredTextItem[]): Line[] {
	const visible = items.filter(({ str }) => str.trim() !== '');
	const lines: StructuredTextItem[][] = [];
	for (const item of visible.sort((a, b) => b.y - a.y)) {
		const line = lines.at(-1);
		if (line && Math.abs(line[0].y - item.y) < item.fontSize / 2) line.push(item);
		else lines.push([item]);
	}
	return lines.map((line) => toCells(line.sort((a, b) => a.x - b.x)));
}

function toCells(items: StructuredTextItem[]): Line {
	const cells: string[] = [];
	let end = -Infinity;
	for (const { str, x, width, fontSize } of items) {
		const gap = x - end;
		if (gap > fontSize) cells.push(str);
		else cells[cells.length - 1] += (gap > fontSize / 8 ? ' ' : '') + str;
		end = x + width;
	}
	return cells.map((cell) => cell.trim());
}
