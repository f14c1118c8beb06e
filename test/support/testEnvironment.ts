import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { useN8nFolder } from './n8nSettings';

const userFolder = mkdtempSync(join(tmpdir(), 'n8n-nodes-document-extraction-'));
process.on('exit', () => rmSync(userFolder, { recursive: true, force: true }));
useN8nFolder(userFolder);

const { now } = Date;
const { random } = Math;
const { timeout } = AbortSignal;

const { compileFunction } = vm;
const contextsOfTests = new WeakSet<object>();

/** By file: test files run modules of their own, but what these are compiled to is the same in all. */
const compiled = new Map<string, { code: string; run: ReturnType<typeof compileFunction> }>();

// `parsingContext` puts a module into the realm of its test file; without it, the module runs in Node's.
vm.compileFunction = (code, parameters, options = {}) => {
	const { parsingContext, ...others } = options;
	if (!parsingContext || !contextsOfTests.has(parsingContext)) {
		return compileFunction(code, parameters, options);
	}
	const before = compiled.get(String(others.filename));
	// A dynamic import belongs to the test file for which it was compiled.
	if (before?.code === code && !code.includes('import(')) return before.run;
	const run = compileFunction(code, parameters, others);
	compiled.set(String(others.filename), { code, run });
	return run;
};

const storages = new Set<AsyncLocalStorage<unknown>>();
AsyncLocalStorage.prototype.run = new Proxy(AsyncLocalStorage.prototype.run, {
	apply(run, storage: AsyncLocalStorage<unknown>, parameters) {
		storages.add(storage);
		return Reflect.apply(run, storage, parameters) as unknown;
	},
});

/**
 * Runs the tests in Node's own realm. In the realm that Jest makes for each test file, Error, Promise
 * and process are not Node's: n8n and the node would treat what Node.js throws as they never do in n8n.
 * `requireOnce` is for loadedOnce.mjs.
 */
export default class extends TestEnvironment {
	constructor(...parameters: ConstructorParameters<typeof TestEnvironment>) {
		super(...parameters);
		if (Date.now !== now || Math.random !== random || AbortSignal.timeout !== timeout) {
			throw new Error('A test file before this one has left the clock or chance changed.');
		}
		// Here Jest keeps who is told of errors that nobody catches: those of the file before are gone.
		Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
		if (this.context) contextsOfTests.add(this.context);
		Object.assign(this, { global: globalThis });
		Object.assign(globalThis, { requireOnce: createRequire(__filename) });
	}

	/** Jest never ends the storage that it makes for a test file: promises of later files would carry it on. */
	override async teardown() {
		await super.teardown();
		for (const storage of storages) storage.disable();
		storages.clear();
	}
}
