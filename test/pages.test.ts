import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { DocumentExtractionApi } from '../credentials/DocumentExtractionApi.credentials';
import { fields } from '../nodes/DocumentExtraction/actions';

const ROOT = resolve(__dirname, '..');

const PAGES = ['.', 'docs', 'examples', 'deploy', 'dev/bench', 'dev/n8n', 'dev/service'].flatMap(
	(folder) =>
		readdirSync(join(ROOT, folder))
			.filter((file) => file.endsWith('.md'))
			.map((file) => join(folder, file)),
);

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(file: string): string[] {
	const headings = textOf(file)
		.replace(/^```.*?^```/gms, '')
		.match(/^#+ .+$/gm);
	return (headings ?? []).map((heading) =>
		heading
			.replace(/^#+ /, '')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}_ -]/gu, '')
			.replaceAll(' ', '-'),
	);
}

const LINKS = PAGES.flatMap((page) =>
	[...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, link]) => link)
		.filter((link) => !/^[a-z]+:/.test(link))
		.map((link) => {
			const [path, anchor] = link.split('#');
			return { page, link, target: path ? join(dirname(page), path) : page, anchor };
		}),
);

it('every link to a file of the repository leads to one, and to a heading that it has', () => {
	expect(LINKS.length).toBeGreaterThan(50);
	const broken = LINKS.filter(
		({ target, anchor }) =>
			!existsSync(join(ROOT, target)) ||
			(anchor !== undefined && !anchorsOf(target).includes(anchor)),
	);
	expect(broken).toEqual([]);
});

/** The names of fields and of the fields in them, as the editor shows them. */
const labelsOf = (properties: INodeProperties[]): string[] =>
	properties.flatMap(({ displayName, type, options }) => [
		displayName,
		...(type === 'collection' ? labelsOf((options ?? []) as INodeProperties[]) : []),
	]);

it.each([
	['In the credential', labelsOf(new DocumentExtractionApi().properties)],
	['In the node', labelsOf(fields)],
])('the glossary calls fields as the editor does: %s', (heading, labels) => {
	const section = textOf('docs/glossary.md').split(`## ${heading}\n`)[1].split('\n## ')[0];
	const named = [...section.matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, name]) => name);

	expect(named.length).toBeGreaterThan(3);
	for (const name of named) expect(labels).toContain(name);
});
