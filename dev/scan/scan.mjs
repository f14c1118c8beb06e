// The two legs of n8n's scanner that need no network: the sources, and the package as it is published.
// Usage: node scan.mjs <folder of the sources> <folder of an unpacked package>...
import { basename } from 'node:path';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const [sources, ...packages] = process.argv.slice(2);

for (const [leg, folder, patterns] of [
	['sources', sources, SOURCE_FILE_PATTERNS],
	...packages.map((folder) => [basename(folder), folder, ['**/*.js', 'package.json']]),
]) {
	const { passed, message = '', details = '' } = await analyzePackage(folder, patterns);
	console.log(`${leg}: ${passed ? 'no findings' : `${message}\n${details}`}`);
	if (!passed) process.exitCode = 1;
}
