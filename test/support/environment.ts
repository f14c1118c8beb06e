import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import 'reflect-metadata';

// n8n-core reads these once, when it is imported, and would otherwise write to the home folder.
const userFolder = mkdtempSync(join(tmpdir(), 'n8n-nodes-document-extraction-'));

process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'only for tests';
process.env.N8N_LOG_LEVEL = 'debug';
process.env.N8N_LOG_OUTPUT = 'file';
process.env.N8N_LOG_FILE_LOCATION = join(userFolder, 'n8n.log');

afterAll(() => rmSync(userFolder, { recursive: true, force: true }));

const isInstance = Function.prototype[Symbol.hasInstance];

// Jest gives the tests an Error of their own. Errors of Node itself (a refused connection, a signal's
// abort) would be no instances of it, and n8n and the node would treat them as they never do in n8n.
Object.defineProperty(Error, Symbol.hasInstance, {
	value(this: unknown, value: unknown) {
		if (isInstance.call(this, value)) return true;
		return this === Error && (types.isNativeError(value) || value instanceof DOMException);
	},
});
