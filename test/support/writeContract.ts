/** `npm run contract`: writes down the contract of the node as it is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractOfTheNode } from './contract';
import { ROOT } from './repository';

const file = join(ROOT, 'test/fixtures/contract.json');
writeFileSync(file, `${JSON.stringify(contractOfTheNode(), undefined, '\t')}\n`);
