/** A transform for modules that Node.js itself loads, once in a process of Jest's, and not Jest for each test file. */
export default {
	process: (_source, path) => ({ code: `module.exports = requireOnce(${JSON.stringify(path)});` }),
};
