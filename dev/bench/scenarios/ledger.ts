import type { Service } from '../../../test/support/service.ts';

/** That the service has each of the files sent, and none twice. */
export async function requireAllOnce({ control }: Service, fileCount: number) {
	const { uploads } = await control.ledger();
	const names = uploads.filter(({ confirmed }) => confirmed).map(({ fileName }) => fileName);
	const distinct = new Set(names).size;
	if (distinct < fileCount || names.length > distinct) {
		throw new Error(
			`Of ${fileCount} files ${fileCount - distinct} were lost and ${names.length - distinct} doubled.`,
		);
	}
}
