import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');

interface Pattern {
	where: string;
	source: string;
	flags: string;
}

/** What a text that a part is put into becomes, for the check. */
const ANY_PART = 'part';

function patternOf(node: ts.Node): Omit<Pattern, 'where'> | undefined {
	if (ts.isRegularExpressionLiteral(node)) {
		const end = node.text.lastIndexOf('/');
		return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
	}
	if (!ts.isNewExpression(node) || node.expression.getText() !== 'RegExp') return undefined;
	const [source, flags] = node.arguments ?? [];
	if (flags || !source || !(ts.isTemplateExpression(source) || ts.isStringLiteral(source))) {
		throw new Error(`Teach this test to read ${node.getText()}`);
	}
	const spans = ts.isTemplateExpression(source) ? source.templateSpans : [];
	const first = ts.isTemplateExpression(source) ? source.head.text : source.text;
	return {
		source: first + spans.map(({ literal }) => ANY_PART + literal.text).join(''),
		flags: '',
	};
}

function patternsIn(folder: string): Pattern[] {
	const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
	return names
		.filter((name) => name.endsWith('.ts'))
		.flatMap((name) => {
			const path = join(folder, name);
			const text = readFileSync(join(ROOT, path), 'utf8');
			const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
			const found: Pattern[] = [];
			const visit = (node: ts.Node) => {
				const pattern = patternOf(node);
				if (pattern) found.push({ where: path, ...pattern });
				ts.forEachChild(node, visit);
			};
			visit(file);
			return found;
		});
}

const isLinear = async ({ source, flags }: Omit<Pattern, 'where'>) =>
	(await check(source, flags, { timeout: 60_000 })).status === 'safe';

const CHECKER = readFileSync(require.resolve('recheck/package.json'), 'utf8');

/** The patterns are the same in most runs, and to check them takes the most time: what passed is remembered. */
async function isKnownToBeLinear(pattern: Pattern): Promise<boolean> {
	const { source, flags } = pattern;
	const hash = createHash('sha256')
		.update(JSON.stringify([CHECKER, source, flags]))
		.digest('hex');
	const proof = join(ROOT, '.cache/patterns', hash);
	if (existsSync(proof)) return true;
	if (!(await isLinear(pattern))) return false;
	mkdirSync(dirname(proof), { recursive: true });
	writeFileSync(proof, '');
	return true;
}

it('takes a time that grows with the text alone: every pattern of the node and its credential', async () => {
	const patterns = [...patternsIn('nodes'), ...patternsIn('credentials')];

	const slow: Pattern[] = [];
	for (const pattern of patterns) if (!(await isKnownToBeLinear(pattern))) slow.push(pattern);

	expect(slow).toEqual([]);
	expect(patterns.length).toBeGreaterThan(50);
}, 240_000);
