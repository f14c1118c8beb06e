import type { Settings } from '../../dev/service/settings';

/** The simulated service's guises: they differ in all that the interface leaves open. */
export const PROFILES = ['atlas', 'borealis'] as const;
export type Profile = (typeof PROFILES)[number];

/** How a service is started, as `npm run service -- --help` explains it. */
export interface ServiceFlags {
	profile?: Profile;
	tls?: boolean;
	settings?: Partial<Settings>;
}
