import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { parse } from 'yaml';
import { DocumentExtractionApi } from '../credentials/DocumentExtractionApi.credentials';
import { API_DETAILS } from '../nodes/DocumentExtraction/account/apiDetails';
import { OPERATIONS, properties } from '../nodes/DocumentExtraction/actions/operations';
import { ROOT, sectionsOf, sourcesIn, textOf, trackedFiles } from './support/repository';

const PAGES = trackedFiles('*.md');

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(file: string): string[] {
	const withoutCode = textOf(file).replace(/^```.*?^```/gms, '');
	const headings = [...withoutCode.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
	return headings.map((heading) =>
		heading
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

it('the tests run on every n8n that is pinned, with the Node.js that README names for it', () => {
	const { jobs } = parse(textOf('.github/workflows/ci.yml')) as {
		jobs: { n8n: { strategy: { matrix: { include: Array<{ n8n: string; node: number }> } } } };
	};
	const { include } = jobs.n8n.strategy.matrix;
	const pinned = trackedFiles('dev/n8n/*/package.json').flatMap((file) => {
		const { dependencies = {} } = JSON.parse(textOf(file)) as { dependencies?: { n8n?: string } };
		const node = include.find(({ n8n }) => dirname(file).endsWith(`/${n8n}`))?.node;
		return dependencies.n8n ? [[dependencies.n8n, String(node)]] : [];
	});
	const rows = textOf('README.md').matchAll(/^\| ([\d., ]+) \| Node\.js (\d+) \|/gm);
	const named = [...rows].flatMap(([, versions, node]) =>
		versions.split(', ').map((version) => [version, node]),
	);

	expect(include.length).toBe(pinned.length);
	expect(named.sort()).toEqual(pinned.sort());
});

interface Example {
	name: string;
	nodes: Array<{ name: string; type: string; parameters: { content?: string } }>;
}

const EXAMPLES = new Map(
	readdirSync(join(ROOT, 'examples'))
		.filter((file) => file.endsWith('.json'))
		.map((file) => [file, JSON.parse(textOf(join('examples', file))) as Example]),
);

/** The names of fields and of the fields in them, as the editor shows them. */
const labelsOf = (properties: INodeProperties[]): string[] =>
	properties.flatMap(({ displayName, type, options }) => [
		displayName,
		...(type === 'collection' ? labelsOf((options ?? []) as INodeProperties[]) : []),
	]);

const CREDENTIAL_LABELS = [
	...labelsOf(new DocumentExtractionApi().properties),
	...Object.values(API_DETAILS).map(({ label }) => label),
];
const NODE_LABELS = labelsOf(properties);

/** What the editor of n8n, or a list in it, calls so. */
const NAMES_IN_N8N = [
	'Bearer Auth',
	'Clear Deduplication History',
	'Continue',
	'Continue (using error output)',
	'Defined automatically by the model',
	'Document Extraction API',
	'Execute Sub-workflow',
	'Header Auth',
	'IMAP',
	'SMTP',
	'Selected Fields',
	'n8n API',
];

/** What a text sets in italics and nobody sees in the editor: nodes of the workflow, fields, examples. */
function unknownNamesIn(text: string, { nodes }: Example): string[] {
	const known = new Set([
		...nodes.map(({ name }) => name),
		...[...EXAMPLES.values()].map(({ name }) => name),
		...CREDENTIAL_LABELS,
		...NODE_LABELS,
		...OPERATIONS.map((operation) => operation.name),
		...NAMES_IN_N8N,
	]);
	const named = [...text.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(([, name]) => name);
	return named.filter((name) => !known.has(name));
}

it.each([...EXAMPLES])('the notes of %s speak of nodes and fields that there are', (_, example) => {
	const notes = example.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');

	expect(notes.length).toBeGreaterThan(0);
	const unknown = notes.flatMap(({ parameters }) =>
		unknownNamesIn(String(parameters.content), example),
	);
	expect(unknown).toEqual([]);
});

// In place of one without an ID, n8n 2 does not save the credential that is chosen, and refuses to execute.
it.each([...EXAMPLES])('no node of %s names a credential', (_, { nodes }) => {
	expect(nodes.filter((node) => 'credentials' in node)).toEqual([]);
});

it('the list of examples has each of them', () => {
	const page = textOf('examples/README.md');

	expect([...EXAMPLES.keys()].filter((file) => !page.includes(`](${file}) |`))).toEqual([]);
});

it.each([...sectionsOf('examples/templates.md').sections])(
	'a template as n8n.io takes it: %s',
	(title, section) => {
		const [, file] = /^Workflow: \[.+\]\((.+\.json)\)$/m.exec(section) ?? [];
		const example = EXAMPLES.get(file) as Example;

		expect(title.length).toBeLessThan(80);
		expect(unknownNamesIn(section, example)).toEqual([]);
	},
);

it('every section of the interface that a comment cites is one of dev/interface.md', () => {
	const page = textOf('dev/interface.md');
	const cited = sourcesIn('credentials', 'nodes').flatMap((file) => {
		const citations = textOf(file).match(/interface\.md (?:§[\d.]+(?:, )?)+/g) ?? [];
		return citations.join().match(/\d+(?:\.\d+)?/g) ?? [];
	});

	expect(cited.length).toBeGreaterThan(10);
	const missing = cited.filter(
		(section) => !page.includes(`\n## §${section} `) && !page.includes(`\n| ${section} |`),
	);
	expect(missing).toEqual([]);
});
