/**
 * What real responses hold, for the user who looks for the right field: its path as it is entered,
 * a colon, and what stands there.
 */
import { redact, shortened } from '../../http/redact';
import { firstContainers, firstFields, isObject } from './fields';

const LONGEST_SAMPLE = 60;
const MOST_NAMES = 8;

/** The fields of a response that hold a text, a number or the like. */
export function fieldSamples(response: unknown): string[] {
	return firstFields(response).map(([path, value]) => `${path}: ${sampleOf(value)}`);
}

/** The fields of a result that hold several values: an object or a list. */
export function containerSamples(result: unknown): string[] {
	return firstContainers(result).map(([path, value]) => `${path}: ${sampleOf(value)}`);
}

/**
 * The fields of what may be the entry of a column: of the entries of each list in a result, and of
 * the result itself.
 */
export function entrySamples(result: unknown): string[] {
	const ofEntries = firstContainers(result).flatMap(([path, value]) =>
		Array.isArray(value) && isObject(value[0])
			? fieldSamples(value[0]).map((sample) => `${sample} (in an entry of ${path})`)
			: [],
	);
	const ofResult = firstFields(result)
		.filter(([path]) => !path.includes('['))
		.map(([path, value]) => `${path}: ${sampleOf(value)}`);
	return [...ofEntries, ...ofResult];
}

function sampleOf(value: unknown): string {
	if (Array.isArray(value)) {
		return isObject(value[0]) ? `a list, each entry with ${namesIn(value[0])}` : 'a list';
	}
	if (isObject(value)) return `an object with ${namesIn(value)}`;
	return shortened(redact(String(value)), LONGEST_SAMPLE);
}

function namesIn(value: object): string {
	const names = Object.keys(value);
	const listed = names.slice(0, MOST_NAMES).map((name) => redact(name));
	return listed.join(', ') + (names.length > MOST_NAMES ? ', …' : '') || 'nothing';
}
