import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type TypeScript from '../../node_modules/typescript/lib/typescript';
import type { BrokenFile } from '../simulate/node.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// TypeScript 7, in dev/, has no parser to call.
const ts = createRequire(join(ROOT, 'package.json'))('typescript') as typeof TypeScript;

/**
 * A change to what is declared under this name, wherever that is: `isYoung`, `LONGEST_MS`, or
 * `RateLimiter.enter` for a member of a class. With two texts, the first is replaced by the second
 * within the declaration. With one, a function's body begins with it (what it returns is the end of
 * it; its parameters, and what it calls, may be declared anew), and a constant has it as its value.
 */
export type Change = [name: string, begin: string] | [name: string, from: string, to: string];

interface Declaration {
	file: string;
	node: TypeScript.Node;
}

/** The package's files, with all that is declared on their outermost level and in its classes, by name. */
function readPackage() {
	const sources = new Map<string, string>();
	const declarations = new Map<string, Declaration[]>();
	const folders = ['nodes', 'credentials'];
	for (const file of folders.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => join(folder, name)),
	)) {
		const text = readFileSync(join(ROOT, file), 'utf8');
		sources.set(file, text);
		const declare = (node: TypeScript.Node, prefix: string) => {
			if (ts.isVariableStatement(node)) {
				for (const one of node.declarationList.declarations) declare(one, prefix);
				return;
			}
			const { name } = node as TypeScript.Node & { name?: TypeScript.Node };
			if (!name || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
			const named = `${prefix}${name.getText()}`;
			declarations.set(named, [...(declarations.get(named) ?? []), { file, node }]);
			if (ts.isClassDeclaration(node)) for (const one of node.members) declare(one, `${named}.`);
		};
		const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
		for (const statement of statements) declare(statement, '');
	}
	return { sources, declarations };
}

/** From where to where a declaration is replaced, and by what. */
function replacement(node: TypeScript.Node, [name, first, second]: Change) {
	if (second !== undefined) {
		const parts = node.getText().split(first);
		if (parts.length !== 2) throw new Error(`${name} has ${parts.length - 1} times '${first}'`);
		const start = node.getStart() + parts[0].length;
		return { start, end: start + first.length, text: second };
	}
	const { initializer: value = node } = node as TypeScript.VariableDeclaration;
	const { body } = value as TypeScript.FunctionLikeDeclaration;
	if (body && ts.isBlock(body)) {
		const start = body.getStart() + 1;
		return { start, end: start, text: `\n${first}` };
	}
	if (value === node) throw new Error(`${name} has neither a body nor a value`);
	return { start: value.getStart(), end: value.end, text: first };
}

let read: ReturnType<typeof readPackage> | undefined;

/**
 * The files of the package in which these changes are made, by their paths in it.
 * @throws where nothing has that name, more than one thing has it, or the text is not in it once
 */
export function brokenFiles(changes: Change[]): BrokenFile[] {
	const { sources, declarations } = (read ??= readPackage());
	const places = changes.map((change) => {
		const found = declarations.get(change[0]) ?? [];
		const files = found.map(({ file }) => file).join(', ') || 'nowhere';
		if (found.length !== 1) throw new Error(`${change[0]} is declared not once, but in: ${files}`);
		return { file: found[0].file, ...replacement(found[0].node, change) };
	});
	// From the end, so that the other places stay where they are.
	const broken = new Map<string, string>();
	for (const { file, start, end, text } of places.sort((a, b) => b.start - a.start)) {
		const source = broken.get(file) ?? sources.get(file) ?? '';
		broken.set(file, source.slice(0, start) + text + source.slice(end));
	}
	return [...broken].map(([file, text]) => ({ file, text }));
}
