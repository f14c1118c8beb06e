import { atlas } from './atlas.ts';
import { borealis } from './borealis.ts';
import { cobalt } from './cobalt.ts';

export const profiles = [atlas, borealis, cobalt];
