/**
 * A Jest transform: Node.js loads these modules once per process, where Jest would load them anew for
 * each test file. testEnvironment.ts provides requireOnce.
 */
export default {
	process: (_source, path) => ({ code: `module.exports = requireOnce(${JSON.stringify(path)});` }),
};
