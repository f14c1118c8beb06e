import { TestEnvironment } from 'jest-environment-node';

/**
 * For tests of a simulated service behind TLS: Node.js takes no further authority once it runs, so
 * its certificate is not checked. Tests see a copy of the process's environment; this sets the real one.
 */
export default class TrustingEnvironment extends TestEnvironment {
	override async setup() {
		await super.setup();
		process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
	}

	override async teardown() {
		delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		await super.teardown();
	}
}
