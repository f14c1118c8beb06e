import { fileURLToPath } from 'node:url';
import { letters } from './letters.ts';
import { writeLetter } from './letterhead.ts';

const directory = fileURLToPath(new URL('../../../examples/files', import.meta.url));

for (const letter of letters) await writeLetter(directory, letter);
