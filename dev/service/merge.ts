import { contentOf, isPdf } from './documentText.ts';
import type { StoredDocument } from './model.ts';
import type { PdfTools } from './pdf.ts';
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

export async function mergePdfs(documents: StoredDocument[], pdfs: PdfTools) {
	const files = documents.map(async ({ file, fileName }) => ({
		fileName,
		bytes: file && (await contentOf(file)),
	}));
	const kept = (await Promise.all(files)).filter(
		(file): file is { fileName: string; bytes: Buffer } => file.bytes !== undefined,
	);
	return await pdfs.merge(kept);
}
