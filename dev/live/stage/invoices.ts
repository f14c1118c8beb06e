import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { samples } from './samples.ts';

const ofPictures = fileURLToPath(new URL('../editor/invoices', import.meta.url));

/**
 * For the pictures, in the order in which their rows are shown: every column finds its value, and no
 * total has more digits than a reader takes in.
 */
const invoices = [
	join(samples, 'invoice-harbour-supplies.pdf'),
	join(ofPictures, 'invoice-northway-haulage.pdf'),
	join(ofPictures, 'invoice-brightwell-packaging.pdf'),
];

/** Copies them to a folder that n8n may read. */
export async function invoicesIn(folder: string) {
	const copies = join(folder, 'invoices');
	await mkdir(copies);
	for (const file of invoices) await copyFile(file, join(copies, basename(file)));
	return { folder: copies, files: invoices };
}
