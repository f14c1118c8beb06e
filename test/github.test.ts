import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');
const VALIDATOR = join(ROOT, 'dev/node_modules/@action-validator/cli/cli.mjs');
const FOLDER = join(ROOT, '.github/workflows');

describe.each(readdirSync(FOLDER))('the workflow %s', (name) => {
	const text = readFileSync(join(FOLDER, name), 'utf8');

	it('has the form that GitHub asks for', () => {
		const { status, stdout, stderr } = spawnSync(
			process.execPath,
			[VALIDATOR, join(FOLDER, name)],
			{
				encoding: 'utf8',
			},
		);

		expect(stdout + stderr).toBe('');
		expect(status).toBe(0);
	});

	it('pins every action by the hash of a commit', () => {
		const uses = text.match(/uses: .+/g) ?? [];

		expect(uses.length).toBeGreaterThan(1);
		for (const action of uses)
			expect(action).toMatch(/^uses: [\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
	});

	it('may write nothing, save that the release proves its origin', () => {
		const granted = text.match(/[\w-]+: write/g) ?? [];

		expect(text).toMatch(/^permissions:/m);
		expect(granted).toEqual(name === 'publish.yml' ? ['id-token: write'] : []);
	});
});
