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
 * Changes to what is declared under these names, wherever that is: `isYoung`, `LONGEST_MS`, or
 * `RateLimiter.enter` for a member of a class. Of two texts, the first is replaced by the second
 * within the declaration. With one, a function's body begins (what it returns is the end of
 * it; its parameters, and what it calls, may be declared anew), and a constant has it as its value.
 */
export type Changes = Record<string, string | [from: string, to: string]>;

/** All that the package declares on the outermost level of its files and in its classes, by name. */
const declarations = new Map<string, TypeScript.NamedDeclaration[]>();
for (const folder of ['nodes', 'credentials']) {
	for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
		if (!name.endsWith('.ts')) continue;
		const file = join(folder, name);
		const text = readFileSync(join(ROOT, file), 'utf8');
		const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
		for (const statement of statements) {
			if (ts.isVariableStatement(statement))
				statement.declarationList.declarations.forEach(declare);
			else if (ts.isClassDeclaration(statement)) statement.members.forEach(declare);
			else if (ts.isFunctionDeclaration(statement)) declare(statement);
		}
	}
}

function declare(node: TypeScript.NamedDeclaration) {
	const ofClass = ts.isClassDeclaration(node.parent) ? `${node.parent.name?.text}.` : '';
	const name = `${ofClass}${node.name?.getText()}`;
	declarations.set(name, [...(declarations.get(name) ?? []), node]);
}

/** From where to where a declaration is replaced, and by what. */
function replacement(node: TypeScript.NamedDeclaration, name: string, change: Changes[string]) {
	if (typeof change !== 'string') {
		const [from, text] = change;
		const parts = node.getText().split(from);
		if (parts.length !== 2) throw new Error(`${name} has ${parts.length - 1} times '${from}'`);
		const start = node.getStart() + parts[0].length;
		return { start, end: start + from.length, text };
	}
	const { initializer: value = node } = node as TypeScript.VariableDeclaration;
	const { body } = value as TypeScript.FunctionLikeDeclaration;
	if (body && ts.isBlock(body)) {
		const start = body.getStart() + 1;
		return { start, end: start, text: `\n${change}` };
	}
	if (value === node) throw new Error(`${name} has neither a body nor a value`);
	return { start: value.getStart(), end: value.end, text: change };
}

/**
 * The files of the package in which these changes are made, by their paths in it.
 * @throws where nothing has that name, more than one thing has it, or the text is not in it once
 */
export function brokenFiles(changes: Changes): BrokenFile[] {
	const places = Object.entries(changes).map(([name, change]) => {
		const found = declarations.get(name) ?? [];
		const files = found.map((node) => node.getSourceFile().fileName).join(', ') || 'nowhere';
		if (found.length !== 1) throw new Error(`${name} is declared not once, but in: ${files}`);
		const { fileName: file, text: source } = found[0].getSourceFile();
		return { file, source, ...replacement(found[0], name, change) };
	});
	// From the end, so that the other places stay where they are.
	const broken = new Map<string, string>();
	for (const { file, source, start, end, text } of places.sort((a, b) => b.start - a.start)) {
		const whole = broken.get(file) ?? source;
		broken.set(file, whole.slice(0, start) + text + whole.slice(end));
	}
	return [...broken].map(([file, text]) => ({ file, text }));
}
