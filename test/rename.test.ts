import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesOf, packageOf, rename, renamer, type Names } from '../dev/rename/rename';
import { ROOT, trackedFiles } from './support/repository';

const next: Names = { service: 'Example Reader', org: 'reader-labs' };

describe('a repository that is named after the service', () => {
	let copy: string;
	let old: Names;
	let changed: string[];

	const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, encoding: 'utf8' });
	const node = (program: string, ...args: string[]) =>
		spawnSync(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
			cwd: copy,
			encoding: 'utf8',
		});

	beforeAll(async () => {
		copy = mkdtempSync(join(tmpdir(), 'rename-test-'));
		for (const file of trackedFiles('.')) cpSync(join(ROOT, file), join(copy, file));
		git('init', '--quiet');
		git('add', '.');
		for (const folder of ['node_modules', 'dev/node_modules']) {
			symlinkSync(join(ROOT, folder), join(copy, folder));
		}
		old = await namesOf(copy);
		changed = await rename(copy, next);
		git('add', '.');
	}, 300_000);

	afterAll(() => rmSync(copy, { recursive: true, force: true }));

	it('has the new names in code, credential, icons, links, pages, tests and their fixtures', async () => {
		expect(await namesOf(copy)).toEqual(next);
		expect(JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'))).toMatchObject({
			name: 'n8n-nodes-example-reader',
			homepage: 'https://github.com/reader-labs/n8n-nodes-example-reader#readme',
			n8n: {
				nodes: ['dist/nodes/ExampleReader/ExampleReader.node.js'],
				credentials: ['dist/credentials/ExampleReaderApi.credentials.js'],
			},
		});
		expect(changed).toEqual(
			expect.arrayContaining([
				'README.md',
				'package-lock.json',
				'icons/exampleReader.dark.svg',
				'examples/form-upload.json',
				'test/fixtures/contract.json',
				'test/package.test.ts',
			]),
		);
	});

	it('has no old name left, in no text and in no path', () => {
		const oldNames = [packageOf(old), old.service, ...['', 'Api'].flatMap(inCode)];
		const grep = oldNames.flatMap((name) => ['-e', name]);
		const { stdout } = spawnSync('git', ['grep', '-IF', ...grep], { cwd: copy, encoding: 'utf8' });
		const paths = git('ls-files').split('\n');

		expect(stdout).toBe('');
		expect(paths.filter((path) => oldNames.some((name) => path.includes(name)))).toEqual([]);
		expect(paths.filter((path) => path && !existsSync(join(copy, path)))).toEqual([]);
	});

	/** As code writes the old name, in both cases. */
	function inCode(ending: string) {
		const name = old.service.replaceAll(' ', '') + ending;
		return [name, name[0].toLowerCase() + name.slice(1)];
	}

	it('is the same after it is renamed once more', async () => {
		expect(await rename(copy, next)).toEqual([]);
	});

	it('has types that fit, and passes tests that compare names', () => {
		expect(node('typescript-7/bin/tsc', '--noEmit').stdout).toBe('');

		const tests = ['test/unchanged', 'test/pages', 'test/operations/merge'];
		const { stderr, status } = node('jest/bin/jest.js', '--ci', ...tests);
		expect(stderr).toContain('Test Suites: 3 passed, 3 total');
		expect(status).toBe(0);
	});
});

it.each([
	['a Document Extraction node', 'an Example Reader node'],
	['A Document Extraction node', 'An Example Reader node'],
	['your document-extraction service', 'your document-extraction service'],
	['document-extraction-apt', 'example-reader-apt'],
	['image: n8n-document-extraction', 'image: n8n-example-reader'],
	['n8n-nodes-x.documentExtractionTool', 'n8n-nodes-x.exampleReaderTool'],
])('turns “%s” into “%s”', (text, renamed) => {
	const old = { service: 'Document Extraction', org: 'x' };

	expect(renamer(old, next)(text)).toBe(renamed);
});

it.each([
	[{ service: 'Acme: Extract', org: 'acme' }, 'letters, digits'],
	[{ service: 'Acme API', org: 'acme' }, "'API'"],
	[{ service: 'Acme', org: 'acme labs' }, 'owner'],
])('refuses %j', async (names, reason) => {
	await expect(rename(ROOT, names)).rejects.toThrow(reason);
});
