import { createAccount } from './account.ts';
import { Extractor } from './extractor.ts';
import { Faults } from './faults.ts';
import { FileStore, type FilePlace } from './fileStore.ts';
import type { PdfTools } from './pdf.ts';
import type { Profile } from './profiles/profile.ts';
import { RateGate } from './rateGate.ts';
import { RequestLog } from './requestLog.ts';
import { Seeder } from './seeder.ts';
import type { Settings } from './settings.ts';
import { StorageAddresses } from './storageAddresses.ts';
import { Store } from './store.ts';

export interface PartsOptions {
	profile: Profile;
	settings: Settings;
	files: FilePlace;
	pdfs: PdfTools;
}

/** What the service is made of, for those who answer its requests. */
export function createParts({ profile, settings: first, files: place, pdfs }: PartsOptions) {
	let current = { ...first };
	const settings = () => current;
	const account = createAccount(profile);
	const storage = new StorageAddresses();
	const store = new Store(profile, account, (document) => storage.file(document));
	const files = new FileStore(place);
	const extractor = new Extractor(settings, (document) => store.publish(document), pdfs);
	const seeder = new Seeder(store, files, pdfs);
	const faults = new Faults();
	const log = new RequestLog();
	const gate = new RateGate(profile, settings);

	const changeSettings = (change: Partial<Settings>) => {
		current = { ...current, ...change };
		gate.reset();
		return current;
	};
	/** Everything as it was at the start. */
	const reset = async () => {
		extractor.stop();
		store.reset();
		seeder.reset();
		faults.clear();
		log.clear();
		changeSettings(first);
		await files.clear();
	};
	return {
		profile,
		account,
		store,
		files,
		extractor,
		seeder,
		faults,
		log,
		gate,
		pdfs,
		storage,
		/** The service's own address, known once it listens. */
		url: '',
		settings,
		changeSettings,
		reset,
	};
}

export type Parts = ReturnType<typeof createParts>;
