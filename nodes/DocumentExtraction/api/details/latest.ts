import type { ApiDetail } from './labels';

/**
 * Remembers what was last made of each API Detail: thousands of files in a run share theirs.
 * @returns makes it anew where the text is another one; what `make` throws is not remembered
 */
export function rememberLatest<T>() {
	const latest = new Map<ApiDetail, { text: string; made: T }>();
	return (detail: ApiDetail, text: string, make: () => T): T => {
		const known = latest.get(detail);
		if (known?.text === text) return known.made;
		const made = make();
		latest.set(detail, { text, made });
		return made;
	};
}
