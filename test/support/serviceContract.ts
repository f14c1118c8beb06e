import type { Flags } from '../../dev/service/main';

/** The simulated service's guises: they differ in all that the interface leaves open. */
export const PROFILES = ['atlas', 'borealis'] as const;
export type Profile = (typeof PROFILES)[number];

/** `npm run service -- --help` in dev explains them. */
export type ServiceFlags = Partial<Omit<Flags, 'profile' | 'json' | 'exitWithParent'>> & {
	profile?: Profile;
};
