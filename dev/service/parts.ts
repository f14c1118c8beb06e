import type { Account } from './account.ts';
import type { Extractor } from './extractor.ts';
import type { Faults } from './faults.ts';
import type { FileStore } from './fileStore.ts';
import type { PdfTools } from './pdf.ts';
import type { Profile } from './profiles/profile.ts';
import type { RateGate } from './rateGate.ts';
import type { RequestLog } from './requestLog.ts';
import type { Seeder } from './seeder.ts';
import type { Settings } from './settings.ts';
import type { StorageAddresses } from './storageAddresses.ts';
import type { Store } from './store.ts';

/** What the service is made of, for those who answer its requests. */
export interface Parts {
	profile: Profile;
	account: Account;
	store: Store;
	files: FileStore;
	extractor: Extractor;
	seeder: Seeder;
	faults: Faults;
	log: RequestLog;
	gate: RateGate;
	pdfs: PdfTools;
	storage: StorageAddresses;
	settings: () => Settings;
	/** The service's own address, known once it listens. */
	origin: () => string;
}
