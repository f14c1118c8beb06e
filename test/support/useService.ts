import { pdfTools, type PdfTools } from '../../dev/service/pdf';
import { sha256 } from './files';
import { serviceInVirtualTime } from './useVirtualService';

/** What is read again and again is read once: that takes most of an extraction's time. */
const remembered = new Map<string, ReturnType<PdfTools['linesOf']>>();
let blank: ReturnType<PdfTools['blank']> | undefined;

export const rememberedPdfs: PdfTools = {
	...pdfTools,
	blank: async () => await (blank ??= pdfTools.blank()),
	linesOf: async (bytes) => {
		const key = sha256(bytes);
		const lines = remembered.get(key) ?? pdfTools.linesOf(bytes);
		remembered.set(key, lines);
		return await lines;
	},
};

/**
 * The simulated service in this process, which really reads PDFs, as new for each test. During a test
 * all waits are in virtual time, which passes as soon as nothing else is left to do: nobody need mind it.
 * For tests of what has to happen when, see useVirtualService.ts; of sockets, useRealService.ts.
 * @returns filled in before each test
 */
export const useService = (wanted: Parameters<typeof serviceInVirtualTime>[0] = {}) =>
	serviceInVirtualTime(wanted, { flows: true, pdfs: rememberedPdfs });
