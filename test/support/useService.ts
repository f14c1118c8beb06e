import { pdfTools } from '../../dev/service/pdf';
import { serviceInVirtualTime } from './useVirtualService';

/**
 * The simulated service in this process, which really reads PDFs, as new for each test. During a test
 * all waits are in virtual time, which passes as soon as nothing else is left to do: nobody need mind it.
 * For tests of what has to happen when, see useVirtualService.ts; of sockets, useRealService.ts.
 * @returns filled in before each test
 */
export const useService = (wanted: Parameters<typeof serviceInVirtualTime>[0] = {}) =>
	serviceInVirtualTime(wanted, { flows: true, pdfs: pdfTools });
