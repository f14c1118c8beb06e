import { createAccount } from './account.ts';
import { Extractor } from './extractor.ts';
import { Faults } from './faults.ts';
import type { Workflow } from './model.ts';
import type { PdfTools } from './pdf.ts';
import type { Profile } from './profiles/profile.ts';
import { RateGate } from './rateGate.ts';
import type { LoggedRequest } from './requestLog.ts';
import { seedDocuments, type Seed } from './seeder.ts';
import type { Settings } from './settings.ts';
import { StorageAddresses } from './storageAddresses.ts';
import { Store } from './store.ts';

export interface PartsOptions {
	profile: Profile;
	settings: Settings;
	pdfs: PdfTools;
}

/** What the service is made of, for those who answer its requests. */
export function createParts({ profile, settings: first, pdfs }: PartsOptions) {
	let current = { ...first };
	const settings = () => current;
	const account = createAccount(profile);
	const storage = new StorageAddresses(() => settings().fileUrlLifetimeMs);
	const store = new Store(profile, account, (document) => storage.file(document));
	const extractor = new Extractor(settings, (document) => store.publish(document), pdfs);
	const seed = async (workflow: Workflow, wanted: Seed) =>
		await seedDocuments(store, pdfs, workflow, wanted);
	const faults = new Faults();
	const log: LoggedRequest[] = [];
	const gate = new RateGate(profile, settings);

	const changeSettings = (change: Partial<Settings>) => {
		current = { ...current, ...change };
		gate.reset();
		return current;
	};
	/** Everything as it was at the start. */
	const reset = () => {
		extractor.stop();
		store.reset();
		faults.clear();
		log.length = 0;
		changeSettings(first);
	};
	return {
		profile,
		account,
		store,
		extractor,
		seed,
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
