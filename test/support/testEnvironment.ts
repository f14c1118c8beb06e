import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import type { Profile } from './serviceContract';
import { startServiceProcess, type ServiceProcess } from './serviceProcess';

// n8n-core reads these once, when it is imported, and would otherwise write to the home folder.
const userFolder = mkdtempSync(join(tmpdir(), 'n8n-nodes-document-extraction-'));
process.on('exit', () => rmSync(userFolder, { recursive: true, force: true }));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'only for tests';
process.env.N8N_LOG_LEVEL = 'debug';
process.env.N8N_LOG_OUTPUT = 'file';
process.env.N8N_LOG_FILE_LOCATION = join(userFolder, 'n8n.log');
// In MB; n8n would go on in another file.
process.env.N8N_LOG_FILE_SIZE_MAX = '1000';

/** Services that no test file uses at the moment. */
const idle: Array<{ profile: Profile; service: ServiceProcess }> = [];

async function lendService(profile: Profile) {
	const index = idle.findIndex((one) => one.profile === profile);
	const service =
		index < 0 ? await startServiceProcess({ profile }) : idle.splice(index, 1)[0].service;
	service.unref();
	return {
		addresses: service.addresses,
		giveBack: () => void idle.push({ profile, service }),
	};
}

export type LendService = typeof lendService;

const { compileFunction } = vm;
const contextsOfTests = new WeakSet<object>();

vm.compileFunction = (code, parameters, options = {}) => {
	const { parsingContext, ...others } = options;
	const isOfTests = parsingContext !== undefined && contextsOfTests.has(parsingContext);
	return compileFunction(code, parameters, isOfTests ? others : options);
};

/**
 * Node.js as it is. Jest gives each test file a realm of its own, with an Error, a Promise and a
 * process that are not Node's: n8n and the node would treat what Node.js itself throws as they never
 * do in n8n. And what stands in node_modules would be loaded anew for each file, n8n-core among it.
 */
export default class extends TestEnvironment {
	constructor(...parameters: ConstructorParameters<typeof TestEnvironment>) {
		super(...parameters);
		if (this.context) contextsOfTests.add(this.context);
		Object.assign(this, { global: globalThis });
		Object.assign(globalThis, { lendService, requireOnce: createRequire(__filename) });
	}
}
