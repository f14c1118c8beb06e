import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { DocumentExtractionApi } from '../credentials/DocumentExtractionApi.credentials';
import { properties } from '../nodes/DocumentExtraction/actions/operations';

const ROOT = resolve(__dirname, '..');

const PAGES = [
	'.',
	'docs',
	'examples',
	'deploy',
	'dev',
	'dev/bench',
	'dev/chaos',
	'dev/n8n',
	'dev/queue',
	'dev/service',
	'dev/simulate',
].flatMap((folder) =>
	readdirSync(join(ROOT, folder))
		.filter((file) => file.endsWith('.md'))
		.map((file) => join(folder, file)),
);

const sourcesIn = (...folders: string[]) =>
	folders.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
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

/** As `wc -w` counts them: tables, code and pictures take room, too. */
const wordsIn = (text: string) => text.match(/\S+/g)?.length ?? 0;

it.each([
	[900, ['README.md']],
	[750, ['docs/install.md']],
	[1800, ['docs/api-details.md']],
	[1350, ['docs/failures.md']],
	[1350, ['docs/outputs.md']],
	[1400, ['docs/scale.md', 'docs/performance.md']],
	[700, ['docs/comparison.md']],
	[300, ['docs/glossary.md']],
])('at most %i words: %j', (most, pages) => {
	const words = pages.map((page) => wordsIn(textOf(page)));

	expect(Math.min(...words)).toBeGreaterThan(100);
	expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(most);
});

it('compares with HTTP Request in at most 350 words', () => {
	const [ours] = textOf('docs/comparison.md').split('## With other extraction nodes');

	expect(wordsIn(ours)).toBeGreaterThan(100);
	expect(wordsIn(ours)).toBeLessThanOrEqual(350);
});

/** In italics, but no node of the template: another example, a value of a field. */
const OF_NO_NODE = new Set([
	'Skip files that were extracted before',
	'Bearer Auth',
	'Selected Fields',
]);

const TEMPLATES = textOf('examples/templates.md')
	.split(/^## /m)
	.slice(1)
	.map((section) => [section.split('\n')[0], section] as const);

it.each(TEMPLATES)('a template as n8n.io takes it: %s', (title, section) => {
	const [, file] = /^Workflow: \[.+\]\((.+\.json)\)$/m.exec(section) ?? [];
	const { nodes } = JSON.parse(textOf(join('examples', file))) as {
		nodes: Array<{ name: string; type: string }>;
	};
	const steps = section
		.slice(section.indexOf('### How it works'))
		.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g);

	expect(title.length).toBeLessThan(80);
	expect(section.match(/^### .+$/gm)).toEqual([
		"### Who's it for",
		'### How it works',
		'### Requirements',
		'### How to set up',
		'### How to customize',
	]);
	expect(nodes.some(({ type }) => type === 'n8n-nodes-base.stickyNote')).toBe(true);
	const named = [...steps].map(([, name]) => name).filter((name) => !OF_NO_NODE.has(name));
	expect(nodes.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
});

/** The names of fields and of the fields in them, as the editor shows them. */
const labelsOf = (properties: INodeProperties[]): string[] =>
	properties.flatMap(({ displayName, type, options }) => [
		displayName,
		...(type === 'collection' ? labelsOf((options ?? []) as INodeProperties[]) : []),
	]);

it.each([
	['In the credential', labelsOf(new DocumentExtractionApi().properties)],
	['In the node', labelsOf(properties)],
])('the glossary calls fields as the editor does: %s', (heading, labels) => {
	const section = textOf('docs/glossary.md').split(`## ${heading}\n`)[1].split('\n## ')[0];
	const named = [...section.matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, name]) => name);

	expect(named.length).toBeGreaterThan(3);
	for (const name of named) expect(labels).toContain(name);
});

it('every section of the interface that a comment cites is one of dev/interface.md', () => {
	const page = textOf('dev/interface.md');
	const cited = sourcesIn('credentials', 'nodes').flatMap((file) =>
		[...textOf(file).matchAll(/interface\.md ((?:§[\d.]+(?:, )?)+)/g)].flatMap(
			([, sections]) => sections.match(/\d+(?:\.\d+)?/g) ?? [],
		),
	);

	expect(cited.length).toBeGreaterThan(10);
	const missing = cited.filter(
		(section) => !page.includes(`\n## §${section} `) && !page.includes(`\n| ${section} |`),
	);
	expect(missing).toEqual([]);
});
