import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';
import { ROOT, sourcesIn } from '../support/repository';
import { sha256 } from '../support/files';

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
	const parts = ts.isTemplateExpression(source)
		? [source.head, ...source.templateSpans.map(({ literal }) => literal)]
		: [source];
	return { source: parts.map(({ text }) => text).join(ANY_PART), flags: '' };
}

function patternsIn(where: string): Pattern[] {
	const text = readFileSync(join(ROOT, where), 'utf8');
	const found: Pattern[] = [];
	const visit = (node: ts.Node) => {
		const pattern = patternOf(node);
		if (pattern) found.push({ where, ...pattern });
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(where, text, ts.ScriptTarget.ES2022, true));
	return found;
}

const CHECKER = readFileSync(require.resolve('recheck/package.json'), 'utf8');

/** The patterns are the same in most runs, and to check them takes the most time: what passed is remembered. */
async function isLinear({ source, flags }: Pattern): Promise<boolean> {
	const proof = join(ROOT, '.cache/patterns', sha256(JSON.stringify([CHECKER, source, flags])));
	if (existsSync(proof)) return true;
	if ((await check(source, flags, { timeout: 60_000 })).status !== 'safe') return false;
	mkdirSync(dirname(proof), { recursive: true });
	writeFileSync(proof, '');
	return true;
}

it('takes a time that grows with the text alone: every pattern of the node and its credential', async () => {
	const patterns = sourcesIn('nodes', 'credentials').flatMap(patternsIn);

	const slow: Pattern[] = [];
	for (const pattern of patterns) if (!(await isLinear(pattern))) slow.push(pattern);

	expect(slow).toEqual([]);
	expect(patterns.length).toBeGreaterThan(50);
}, 240_000);
