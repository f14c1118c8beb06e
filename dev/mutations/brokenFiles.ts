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
 * What stands in place of what is declared under these names, wherever that is: `backoffMs`, `IDLE_LIMIT_MS`,
 * or `RateLimiter.mayLeave` for a method. Each is an expression in JavaScript, in which `unbroken` is what it
 * replaces; it may use whatever stands in the same file. A method's is a `function`, for its `this`.
 */
export type Changes = Record<string, string>;

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

interface Edit {
	start: number;
	end: number;
	text: string;
}

/** The edits of a file by which a name stands for something else. */
function editsOf(node: TypeScript.NamedDeclaration, name: string, expression: string): Edit[] {
	const file = node.getSourceFile();
	const broken = (original: string) => `((unbroken) => (${expression}))(${original})`;
	const append = (text: string): Edit => ({ start: file.end, end: file.end, text: `\n${text};\n` });
	if (ts.isFunctionDeclaration(node) && node.name) {
		const isExported = node.modifiers?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
		const renamed = { start: node.name.getStart(), end: node.name.end, text: `unbroken_${name}` };
		const exported = isExported && { start: isExported.getStart(), end: isExported.end, text: '' };
		const text = `${exported ? 'export ' : ''}const ${name} = ${broken(renamed.text)}`;
		return [...(exported ? [exported] : []), renamed, append(text)];
	}
	if (ts.isMethodDeclaration(node)) {
		const method = name.replace('.', '.prototype.');
		return [append(`${method} = ${broken(method)}`)];
	}
	const { initializer } = node as TypeScript.VariableDeclaration;
	if (!initializer) throw new Error(`${name} is neither a function, a method nor a constant`);
	const { end } = initializer;
	return [{ start: initializer.getStart(), end, text: broken(initializer.getText()) }];
}

/**
 * The files of the package in which these changes are made, by their paths in it.
 * @throws where nothing has that name, or more than one thing has it
 */
export function brokenFiles(changes: Changes): BrokenFile[] {
	const texts = new Map<string, { text: string; edits: Edit[] }>();
	for (const [name, expression] of Object.entries(changes)) {
		const found = declarations.get(name) ?? [];
		const files = found.map((node) => node.getSourceFile().fileName).join(', ') || 'nowhere';
		if (found.length !== 1) throw new Error(`${name} is declared not once, but in: ${files}`);
		const { fileName, text } = found[0].getSourceFile();
		const edits = [...(texts.get(fileName)?.edits ?? []), ...editsOf(found[0], name, expression)];
		texts.set(fileName, { text, edits });
	}
	return [...texts].map(([file, { text, edits }]) => {
		// From the end, so that the other places stay where they are.
		const fromTheEnd = edits.sort((one, other) => other.start - one.start);
		const made = fromTheEnd.reduce(
			(broken, edit) => broken.slice(0, edit.start) + edit.text + broken.slice(edit.end),
			text,
		);
		return { file, text: made };
	});
}
