/**
 * To be imported before n8n, which reads its settings when it is loaded: a folder that ends with this
 * process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useN8nFolder } from '../../test/support/n8nSettings.ts';

const folder = mkdtempSync(join(tmpdir(), 'n8n-simulate-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
useN8nFolder(folder);
