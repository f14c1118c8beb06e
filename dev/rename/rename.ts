import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Everything that is called after the service, in all the ways in which code and pages write it. */
export interface Names {
	/** As users see it, e.g. `Acme Extract`. */
	service: string;
	/** The owner of the repository on GitHub. */
	org: string;
}

const pascal = (service: string) =>
	service.replace(/(?:^| )./g, (first) => first.trim().toUpperCase());
const camel = (service: string) => service[0].toLowerCase() + pascal(service).slice(1);
const kebab = (service: string) => service.replaceAll(' ', '-').toLowerCase();

export const packageOf = ({ service }: Names) => `n8n-nodes-${kebab(service)}`;

/** @throws Error if code cannot be called so */
function checkNames({ service, org }: Names) {
	if (!/^[A-Za-z][A-Za-z0-9]*( [A-Za-z0-9]+)*$/.test(service)) {
		throw new Error('The name of the service may have letters, digits and single spaces.');
	}
	if (/\b(n8n|API)\b/i.test(service)) {
		throw new Error("Leave out 'n8n' and 'API': n8n's linter wants them elsewhere.");
	}
	if (!/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(org)) throw new Error('GitHub has no such owner.');
}

/**
 * Gives a text or a path the new names, in one pass, so that a new name may contain the old one. The kind
 * of service, such as *a document-extraction service* in a sentence, is no name: without `n8n-` before
 * it, or a hyphen after it, it stays.
 */
export function renamer(old: Names, next: Names) {
	const article = /^[aeiou]/i.test(next.service) ? 'n' : '';
	const ways: Array<[pattern: string, name: string]> = [
		[`github\\.com/${old.org}/${packageOf(old)}`, `github.com/${next.org}/${packageOf(next)}`],
		[`\\b${old.org}(?=@users\\.noreply)`, next.org],
		[`@${old.org}(?=/)`, `@${next.org}`],
		[packageOf(old), packageOf(next)],
		[`n8n-${kebab(old.service)}`, `n8n-${kebab(next.service)}`],
		[`\\b${kebab(old.service)}(?=-[a-z])`, kebab(next.service)],
		[camel(old.service), camel(next.service)],
		[pascal(old.service), pascal(next.service)],
		[`(?<=\\b[Aa])n? ${old.service}`, `${article} ${next.service}`],
		[old.service, next.service],
	];
	const anyWay = new RegExp(ways.map(([pattern]) => `(${pattern})`).join('|'), 'g');
	return (text: string) =>
		text.replace(anyWay, (_, ...found: Array<string | undefined>) => {
			const way = found.findIndex((group) => group !== undefined);
			return ways[way][1];
		});
}

const run = promisify(execFile);

interface Manifest {
	name: string;
	repository: { url: string };
	n8n: { nodes: string[] };
}

/** The names that the repository has: the node's in its file, the owner in package.json. */
export async function namesOf(repository: string): Promise<Names> {
	const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as Manifest;
	const nodeFile = manifest.n8n.nodes[0].replace(/^dist\//, '').replace(/\.js$/, '.ts');
	const node = await readFile(join(repository, nodeFile), 'utf8');
	const [, service] = /displayName: '(.+?)'/.exec(node) ?? [];
	const [, org] = /github\.com\/(.+?)\//.exec(manifest.repository.url) ?? [];
	if (!service || !org || packageOf({ service, org }) !== manifest.name) {
		throw new Error(`The names in package.json and ${nodeFile} do not belong together.`);
	}
	return { service, org };
}

async function trackedFiles(repository: string) {
	const { stdout } = await run('git', ['ls-files', '-z'], { cwd: repository });
	return stdout.split('\0').filter(Boolean);
}

/** Undefined for pictures and PDFs. */
function textIn(content: Buffer) {
	const text = content.toString('utf8');
	return Buffer.from(text).equals(content) && !text.includes('\0') ? text : undefined;
}

/**
 * Gives every file that git tracks the new names, in its path and in its text.
 * @returns the files that have changed, by their new paths
 */
export async function rename(repository: string, next: Names): Promise<string[]> {
	checkNames(next);
	const renamed = renamer(await namesOf(repository), next);
	const changed: string[] = [];
	for (const path of await trackedFiles(repository)) {
		const content = await readFile(join(repository, path));
		const text = textIn(content);
		const newPath = renamed(path);
		const newContent = text === undefined ? content : renamed(text);
		if (newPath === path && newContent === (text ?? content)) continue;
		changed.push(newPath);
		if (newPath !== path) {
			await mkdir(dirname(join(repository, newPath)), { recursive: true });
			await run('git', ['mv', path, newPath], { cwd: repository });
		}
		await writeFile(join(repository, newPath), newContent);
	}
	return changed;
}
