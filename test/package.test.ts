import { execFileSync, spawnSync } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';
import { OPERATIONS } from '../nodes/DocumentExtraction/actions/operations';
import { ROOT } from './support/repository';

const SCAN = join(ROOT, 'dev/scan/scan.mjs');

let folder: string;
let unpacked: string;

beforeAll(() => {
	if (!existsSync(join(ROOT, 'dist'))) throw new Error('Run `npm run build` first.');
	folder = mkdtempSync(join(tmpdir(), 'package-test-'));
	const tarball = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
		cwd: ROOT,
		encoding: 'utf8',
	}).trim();
	execFileSync('tar', ['-xzf', tarball], { cwd: folder });
	unpacked = join(folder, 'package');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesIn = (path: string, files = /./) =>
	readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => files.test(name));

it("passes n8n's scanner and malware rules; a forbidden global does not, even behind a comment", () => {
	const spoilt = join(folder, 'spoilt');
	mkdirSync(spoilt);
	cpSync(join(unpacked, 'package.json'), join(spoilt, 'package.json'));
	writeFileSync(
		join(spoilt, 'spoilt.js'),
		'/* eslint-disable */\nexports.home = process.env.HOME;\nfunction downloadFile(url) {}\n',
	);

	const { stdout, status } = spawnSync(process.execPath, [SCAN, ROOT, unpacked, spoilt], {
		encoding: 'utf8',
		// One of the scanner's plugins behaves differently in its own tests, which it knows by NODE_ENV.
		env: { ...process.env, NODE_ENV: 'production', NODE_PATH: join(ROOT, 'node_modules') },
	});

	for (const leg of ['sources', 'package', 'package, malware']) {
		expect(stdout).toContain(`${leg}: no findings\n`);
	}
	expect(stdout).toMatch(/^spoilt: ESLint[^✖]*no-restricted-globals/m);
	expect(stdout).toMatch(/^spoilt, malware: fetches_a_program in .*spoilt\.js$/m);
	expect(status).toBe(1);
});

it('publishes the built node, its licence and its README, and nothing else', () => {
	expect(readdirSync(unpacked).sort()).toEqual(['LICENSE.md', 'README.md', 'dist', 'package.json']);
	expect(readdirSync(join(unpacked, 'dist')).sort()).toEqual(['credentials', 'icons', 'nodes']);
	expect(filesIn(join(unpacked, 'dist'), /\.ts$|\.map$|test/i)).toEqual([]);
});

it('has no runtime dependency and asks for no version of n8n', () => {
	const { dependencies, peerDependencies } = JSON.parse(
		readFileSync(join(unpacked, 'package.json'), 'utf8'),
	) as Record<string, unknown>;

	expect(dependencies).toBeUndefined();
	expect(peerDependencies).toEqual({ 'n8n-workflow': '*' });
});

it('gives n8n the output of each operation that is known', () => {
	const folder = join(unpacked, 'dist/nodes/DocumentExtraction/__schema__/v1.0.0');
	const known = OPERATIONS.filter(({ output }) => output !== 'raw');

	expect(filesIn(folder, /\.json$/).sort()).toEqual(
		known.map(({ resource, value }) => `${resource}/${value}.json`).sort(),
	);
	for (const { resource, value, output } of known) {
		expect(JSON.parse(readFileSync(join(folder, `${resource}/${value}.json`), 'utf8'))).toEqual({
			type: 'object',
			properties: output,
			version: 1,
		});
	}
});

it('is loaded by n8n with its node, credential, icons and codex', async () => {
	const loader = new PackageDirectoryLoader(ROOT);
	await loader.loadAll();

	const [node] = loader.types.nodes;
	expect(node).toMatchObject({
		displayName: 'Document Extraction',
		codex: { categories: expect.arrayContaining(['Productivity']) as string[] },
		iconUrl: {
			light: expect.stringContaining('documentExtraction.svg') as string,
			dark: expect.stringContaining('documentExtraction.dark.svg') as string,
		},
	});
	expect(loader.types.credentials.map(({ name }) => name)).toEqual(['documentExtractionApi']);
	expect(loader.known.nodes).toHaveProperty('documentExtraction');
});
