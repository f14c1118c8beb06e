import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface SignedRequest {
	method: 'GET' | 'PUT';
	/** Path of the object, with its leading slash. */
	path: string;
	expiresAt: Date;
	/** Signed headers: the request must carry exactly these values. */
	headers?: Record<string, string>;
}

/** Signs and checks the addresses that the storage serves without a key. */
export class Signatures {
	private readonly secret = randomBytes(32);

	/** Path and query of the signed address. */
	sign({ method, path, expiresAt, headers = {} }: SignedRequest) {
		const query = new URLSearchParams({
			'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
			'X-Amz-Expires-At': String(expiresAt.getTime()),
			'X-Amz-SignedHeaders': Object.keys(headers).sort().join(';'),
			'X-Amz-Signature': this.digest(method, path, expiresAt.getTime(), headers),
		});
		return `${path}?${query}`;
	}

	check(
		method: string,
		path: string,
		query: URLSearchParams,
		headers: Record<string, unknown>,
	): 'valid' | 'missing' | 'expired' | 'mismatch' {
		const signature = query.get('X-Amz-Signature');
		const expiresAt = Number(query.get('X-Amz-Expires-At'));
		if (!signature || !expiresAt) return 'missing';

		const names = (query.get('X-Amz-SignedHeaders') ?? '').split(';').filter(Boolean);
		const signed = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
		const expected = Buffer.from(this.digest(method, path, expiresAt, signed));
		const received = Buffer.from(signature);
		if (expected.length !== received.length || !timingSafeEqual(expected, received)) {
			return 'mismatch';
		}
		return expiresAt <= Date.now() ? 'expired' : 'valid';
	}

	private digest(method: string, path: string, expiresAt: number, headers: Record<string, string>) {
		const signed = Object.entries(headers).sort(([first], [second]) => (first < second ? -1 : 1));
		return createHmac('sha256', this.secret)
			.update(JSON.stringify([method, path, expiresAt, signed]))
			.digest('hex');
	}
}
