import type { Extractor } from '../extractor.ts';
import type { FileStore } from '../fileStore.ts';
import type { PdfTools } from '../pdf.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Seeder } from '../seeder.ts';
import type { Settings } from '../settings.ts';
import type { StorageAddresses } from '../storageAddresses.ts';
import type { Store } from '../store.ts';

/** What the routes work with. */
export interface RouteParts {
	profile: Profile;
	store: Store;
	files: FileStore;
	extractor: Extractor;
	storage: StorageAddresses;
	seeder: Seeder;
	pdfs: PdfTools;
	settings: () => Settings;
	/** The service's own address, known once it listens. */
	origin: () => string;
}

export type WorkflowParams = { Params: { workflow_id: string } };

/** `GET /workflows/{workflow_id}` as a method and a route. */
export function parseEndpoint(endpoint: string) {
	const [method, path] = endpoint.split(' ', 2);
	return { method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') };
}
