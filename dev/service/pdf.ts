import { extractTextItems, getDocumentProxy, type StructuredTextItem } from 'unpdf';
import { createHash } from 'node:crypto';
import { DetailError } from './answers.ts';
import type { Line } from './model.ts';

/** What the service can do with PDFs. */
export interface PdfTools {
	/** A PDF of one page without values. */
	blank(): Promise<Buffer>;
	/** @throws when the PDF is broken */
	linesOf(bytes: Buffer): Promise<Line[]>;
	merge(files: Array<{ fileName: string; bytes: Buffer }>): Promise<{
		pages: number;
		bytes: Buffer;
	}>;
}

/** By the hash of the PDF: demonstrations and tests read the same few again and again. */
const remembered = new Map<string, Promise<Line[]>>();
const MOST_REMEMBERED = 100;
let blank: Promise<Buffer> | undefined;

export const pdfTools: PdfTools = {
	blank: async () => await (blank ??= makeBlank()),

	async linesOf(bytes) {
		const hash = createHash('sha256').update(bytes).digest('hex');
		const lines = remembered.get(hash) ?? linesOfPages(bytes);
		if (remembered.size === MOST_REMEMBERED) remembered.clear();
		remembered.set(hash, lines);
		return await lines;
	},

	async merge(files) {
		const merged = await newPdf();
		for (const { fileName, bytes } of files) {
			const { PDFDocument } = await import('@cantoo/pdf-lib');
			const source = await PDFDocument.load(bytes).catch(() => {
				throw new DetailError(400, `${fileName} cannot be read as a PDF`);
			});
			const pages = await merged.copyPages(source, source.getPageIndices());
			for (const page of pages) merged.addPage(page);
		}
		return { pages: merged.getPageCount(), bytes: Buffer.from(await merged.save()) };
	},
};

async function makeBlank() {
	const pdf = await newPdf();
	pdf.addPage().drawText('A document without values');
	return Buffer.from(await pdf.save());
}

async function linesOfPages(bytes: Buffer) {
	// A broken PDF fails its document; the reader need not print what it tries on the way.
	const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
	const { items } = await extractTextItems(pdf);
	return items.flatMap(pageLines);
}

async function newPdf() {
	// Loaded here because few need it, and it takes long.
	const { PDFDocument } = await import('@cantoo/pdf-lib');
	return await PDFDocument.create();
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
