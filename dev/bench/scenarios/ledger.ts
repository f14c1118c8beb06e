import type { Service } from '../../../test/support/service.ts';

/** Of the files sent: how many the service does not have, and how many it has more than once. */
export async function uploadsIn({ control }: Service, fileCount: number) {
	const { uploads } = await control.ledger();
	const names = uploads.filter(({ confirmed }) => confirmed).map(({ fileName }) => fileName);
	const distinct = new Set(names).size;
	return { lost: fileCount - distinct, doubled: names.length - distinct };
}

export async function requireAllOnce(service: Service, fileCount: number) {
	const { lost, doubled } = await uploadsIn(service, fileCount);
	if (lost > 0 || doubled > 0) {
		throw new Error(`Of ${fileCount} files ${lost} were lost and ${doubled} doubled.`);
	}
}
