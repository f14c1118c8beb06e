// What of n8n's scanner needs no network: its rules for the sources and for the package as it is
// published, and rules against malware for the package.
// Usage: node scan.mjs <folder of the sources> <folder of an unpacked package>...
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import initYara, { Compiler } from '@virustotal/yara-x';

const [sources, ...packages] = process.argv.slice(2);

// Written for browsers, it would fetch the program.
const yara = new URL('yara_x_js_bg.wasm', import.meta.resolve('@virustotal/yara-x'));
await initYara({ module_or_path: readFileSync(yara) });
const compiler = new Compiler();
compiler.addSource(readFileSync(new URL('malware.yar', import.meta.url), 'utf8'));
const rules = compiler.build();

function report(leg, findings) {
	console.log(`${leg}: ${findings || 'no findings'}`);
	if (findings) process.exitCode = 1;
}

for (const [leg, folder, patterns] of [
	['sources', sources, SOURCE_FILE_PATTERNS],
	...packages.map((folder) => [basename(folder), folder, ['**/*.js', 'package.json']]),
]) {
	const { passed, message = '', details = '' } = await analyzePackage(folder, patterns);
	report(leg, passed ? '' : `${message}\n${details}`);
}

for (const folder of packages) {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true });
	const found = files
		.filter((file) => file.isFile())
		.map((file) => join(file.parentPath, file.name))
		.flatMap((path) =>
			rules.scan(readFileSync(path)).matches.map(({ identifier }) => `${identifier} in ${path}`),
		);
	report(`${basename(folder)}, malware`, found.join('\n'));
}
