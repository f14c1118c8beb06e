/** Modules that Node.js itself loads, once in a process of Jest's, in place of Jest for each test file. */
module.exports = {
	process: (_source, path) => ({ code: `module.exports = requireOnce(${JSON.stringify(path)});` }),
};
