/** The rows of a document list as the service answered it: the outermost list in the answer. */
export function documentRows(answer: unknown): unknown[] {
	if (Array.isArray(answer)) return answer as unknown[];
	if (answer === null || typeof answer !== 'object') return [];
	return Object.values(answer)
		.map(documentRows)
		.reduce((longest, rows) => (rows.length > longest.length ? rows : longest), []);
}
