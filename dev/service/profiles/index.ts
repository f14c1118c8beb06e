import { atlas } from './atlas.ts';
import { borealis } from './borealis.ts';

export const profiles = [atlas, borealis];
