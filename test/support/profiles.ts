import type { BinaryMode } from './binary';
import type { Profile } from './serviceContract';

/** The simulated service's guises: they differ in all that the interface leaves open. */
export const PROFILES: Profile[] = ['atlas', 'borealis', 'cobalt'];

export const BINARY_MODES: BinaryMode[] = ['memory', 'filesystem'];
