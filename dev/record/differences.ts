/** Before the name of each case. */
export const CASE = '### ';

const casesOf = (recording: string) =>
	new Map(
		recording
			.split(`\n${CASE}`)
			.map((text) => text.replace(CASE, '').split('\n'))
			.map(([name, ...lines]) => [name, lines.filter(Boolean)]),
	);

/** The cases in which two recordings differ, each with the lines that only one of them has. */
export function differencesOf(before: string, after: string): string[] {
	const [old, own] = [casesOf(before), casesOf(after)];
	const names = new Set([...own.keys(), ...old.keys()]);
	return [...names].flatMap((name) => {
		const [was = [], is = []] = [old.get(name), own.get(name)];
		if (was.join() === is.join()) return [];
		const gone = was.filter((line) => !is.includes(line)).map((line) => `- ${line}`);
		const come = is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`);
		const lines = [...gone, ...come];
		return [[name, ...(lines.length > 0 ? lines : ['in another order'])].join('\n')];
	});
}
