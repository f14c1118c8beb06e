/** The two query parameters of every paged list, with the bounds of the interface. */
export const pageQuery = {
	page: { type: 'integer', minimum: 1, default: 1 },
	limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
};

export interface PageQuery {
	page: number;
	limit: number;
}

export function pageEnvelope<T>(
	list: T[],
	{ page, limit }: PageQuery,
	describe: (entry: T) => unknown,
) {
	const start = (page - 1) * limit;

	return {
		total: list.length,
		page,
		limit,
		pages: Math.ceil(list.length / limit),
		items: list.slice(start, start + limit).map(describe),
	};
}
