import pWaitFor from 'p-wait-for';

interface Patience {
	timeoutMs?: number;
	everyMs?: number;
	/** What it says when the time is over. */
	message?: string;
}

/** Looks again and again until it sees something, and gives that back. */
export async function until<T>(
	look: () => Promise<T>,
	{ timeoutMs = 60_000, everyMs = 50, message }: Patience = {},
): Promise<NonNullable<T>> {
	const seen = async () => {
		const found = await look();
		return found ? pWaitFor.resolveWith(found) : false;
	};
	return await pWaitFor(seen, {
		interval: everyMs,
		timeout: {
			milliseconds: timeoutMs,
			message: message ?? `It did not come true in ${timeoutMs} ms: ${look}`,
		},
	});
}
