import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrokenFile } from '../simulate/node.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What stands in place of what is declared under these names, wherever that is: `backoffMs`, `IDLE_LIMIT_MS`,
 * or `RateLimiter.mayLeave` for a method. Each is an expression in JavaScript, in which `unbroken` is what it
 * replaces; it may use whatever stands in the same file. A method's is a `function`, for its `this`.
 */
export type Changes = Record<string, string>;

const sources = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => join(folder, name))
		.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') })),
);

// Biome formats the sources: a declaration begins its line, and what is inside of one is indented.
const methodOf = (name: string) => {
	const [ofClass, method] = name.split('.');
	return new RegExp(`^(?:export )?class ${ofClass}\\b[^]*?^\\t(?:\\w+ )*${method}\\(`, 'gm');
};
const functionOf = (name: string) =>
	new RegExp(`^(export )?((?:async )?function )${name}\\b`, 'gm');
const constantOf = (name: string) =>
	new RegExp(`^((?:export )?const ${name}\\b.*? =\\s)([^]*?);\\n(?=\\n*(?:[^\\s})\\]]|$))`, 'gm');

/** The text of a file in which a name stands for something else. */
function withBroken(text: string, name: string, expression: string): string {
	const broken = (original: string) => `((unbroken) => (${expression}))(${original})`;
	if (name.includes('.')) {
		const method = name.replace('.', '.prototype.');
		return `${text}\n${method} = ${broken(method)};\n`;
	}
	const [isFunction] = text.matchAll(functionOf(name));
	if (isFunction) {
		const [, exported = ''] = isFunction;
		const renamed = text.replace(functionOf(name), `$2unbroken_${name}`);
		return `${renamed}\n${exported}const ${name} = ${broken(`unbroken_${name}`)};\n`;
	}
	return text.replace(
		constantOf(name),
		(_, begin: string, initializer: string) => `${begin}${broken(initializer)};\n`,
	);
}

/**
 * The files of the package in which these changes are made, by their paths in it.
 * @throws where nothing has that name, or more than one thing has it
 */
export function brokenFiles(changes: Changes): BrokenFile[] {
	const texts = new Map<string, string>();
	for (const [name, expression] of Object.entries(changes)) {
		const ways = name.includes('.') ? [methodOf(name)] : [functionOf(name), constantOf(name)];
		const found = sources.flatMap((source) =>
			ways.flatMap((way) => Array.from(source.text.matchAll(way), () => source)),
		);
		const files = found.map(({ file }) => file).join(', ') || 'nowhere';
		if (found.length !== 1) throw new Error(`${name} is declared not once, but in: ${files}`);
		const [{ file, text }] = found;
		texts.set(file, withBroken(texts.get(file) ?? text, name, expression));
	}
	return [...texts].map(([file, text]) => ({ file, text }));
}
