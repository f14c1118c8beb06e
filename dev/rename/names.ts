/** Everything that is called after the service, in all the ways in which code and pages write it. */
export interface Names {
	/** As users see it, e.g. `Acme Extract`. */
	service: string;
	/** The owner of the repository on GitHub. */
	org: string;
}

const wordsOf = (service: string) => service.split(' ');

const pascal = (service: string) => wordsOf(service).map(upperFirst).join('');
const camel = (service: string) => lowerFirst(pascal(service));
const kebab = (service: string) => wordsOf(service).join('-').toLowerCase();

const upperFirst = (word: string) => word[0].toUpperCase() + word.slice(1);
const lowerFirst = (word: string) => word[0].toLowerCase() + word.slice(1);

export const packageOf = ({ service }: Names) => `n8n-nodes-${kebab(service)}`;

/** @throws Error if code cannot be called so */
export function checkNames({ service, org }: Names) {
	if (!/^[A-Za-z][A-Za-z0-9]*( [A-Za-z0-9]+)*$/.test(service)) {
		throw new Error('The name of the service may have letters, digits and single spaces.');
	}
	if (/\b(n8n|API)\b/i.test(service)) {
		throw new Error("Leave out 'n8n' and 'API': n8n's linter wants them elsewhere.");
	}
	if (!/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(org)) throw new Error('GitHub has no such owner.');
}

const startsWithVowel = (name: string) => /^[aeiou]/i.test(name);

/**
 * Gives a text or a path the new names, in one pass, so that a new name may contain the old one. The kind
 * of service, such as *a document-extraction service* in a sentence, is no name: without `n8n-` before
 * it, or a hyphen after it, it stays.
 */
export function renamer(old: Names, next: Names) {
	const article = startsWithVowel(next.service) ? 'n' : '';
	const ways: Array<[pattern: string, name: string]> = [
		[`github\\.com/${old.org}/${packageOf(old)}`, `github.com/${next.org}/${packageOf(next)}`],
		[`\\b${old.org}(?=@users\\.noreply)`, next.org],
		[`@${old.org}(?=/)`, `@${next.org}`],
		[packageOf(old), packageOf(next)],
		[`n8n-${kebab(old.service)}`, `n8n-${kebab(next.service)}`],
		[`\\b${kebab(old.service)}(?=-[a-z])`, kebab(next.service)],
		[camel(old.service), camel(next.service)],
		[pascal(old.service), pascal(next.service)],
		[`(?<=\\b[Aa])n? ${old.service}`, `${article} ${next.service}`],
		[old.service, next.service],
	];
	const anyWay = new RegExp(ways.map(([pattern]) => `(${pattern})`).join('|'), 'g');
	return (text: string) =>
		text.replace(anyWay, (_, ...found: Array<string | undefined>) => {
			const way = found.findIndex((group) => group !== undefined);
			return ways[way][1];
		});
}
