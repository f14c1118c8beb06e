import { readFile } from 'node:fs/promises';
import { DetailError } from './answers.ts';
import { isPdf } from './documentText.ts';
import type { StoredDocument } from './model.ts';
import type { Profile } from './profiles/profile.ts';
import { InvalidRequestError } from './validation.ts';

/** Those documents that are PDFs; anything else cannot be merged. */
export async function onlyPdfs(documents: StoredDocument[]) {
	const pdfs = [];
	for (const document of documents) {
		if (document.file && (await isPdf(document.file))) pdfs.push(document);
	}
	return pdfs;
}

/** Labelled documents first, in the order of the labels; the others stay behind them. */
export function arrange(documents: StoredDocument[], labelOrder: unknown, { merge }: Profile) {
	if (labelOrder === null || labelOrder === undefined) return documents;

	const labels = merge.labels(labelOrder as never);
	const known = new Set(documents.map((document) => merge.labelOf(document)));
	const unknown = labels.find((label) => !known.has(label));
	if (unknown !== undefined) {
		throw new InvalidRequestError([
			{
				type: 'value_error',
				loc: ['body', 'label_order'],
				msg: `Value error, no PDF of the collection has the label '${unknown}'`,
				input: labelOrder,
			},
		]);
	}

	const rank = (document: StoredDocument) => {
		const position = labels.indexOf(merge.labelOf(document));
		return position === -1 ? labels.length : position;
	};
	return [...documents].sort((first, second) => rank(first) - rank(second));
}

export async function mergePdfs(documents: StoredDocument[]) {
	// Loaded here because few need it, and it takes long.
	const { PDFDocument } = await import('@cantoo/pdf-lib');
	const merged = await PDFDocument.create();
	for (const { file, fileName } of documents) {
		if (!file?.path) continue;
		const source = await PDFDocument.load(await readFile(file.path)).catch(() => {
			throw new DetailError(400, `${fileName} cannot be read as a PDF`);
		});
		const pages = await merged.copyPages(source, source.getPageIndices());
		for (const page of pages) merged.addPage(page);
	}
	return { pages: merged.getPageCount(), bytes: Buffer.from(await merged.save()) };
}
