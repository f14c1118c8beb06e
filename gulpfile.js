const { mkdirSync, writeFileSync } = require('node:fs');
const { dest, parallel, src } = require('gulp');

// gulp 5 would re-encode the files as UTF-8 text without `encoding: false`.
const copyIcons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** n8n reads the fields that an operation outputs from a file: __schema__/<node's version>/<resource>/<operation>.json */
async function writeOutputSchemas() {
	const node = './dist/nodes/DocumentExtraction';
	const { OPERATIONS } = require(`${node}/actions/operations`);
	for (const { resource, value, output } of OPERATIONS) {
		if (output === 'raw') continue;
		const folder = `${node}/__schema__/v1.0.0/${resource}`;
		const schema = { type: 'object', properties: output, version: 1 };
		mkdirSync(folder, { recursive: true });
		writeFileSync(`${folder}/${value}.json`, JSON.stringify(schema, null, '\t'));
	}
}

exports.default = parallel(copyIcons, writeOutputSchemas);
