import { createHmac, randomBytes } from 'node:crypto';
import type { StoredDocument } from './model.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * The addresses of objects in the storage, which serves them without a key: signed, for one method and
 * a time.
 */
export class StorageAddresses {
	/** Known once the storage listens. */
	origin = '';
	private readonly secret = randomBytes(32);
	/** How many were signed: no two are the same, even at the same moment. */
	private signed = 0;

	/** @param fileLifetimeMs how long the address of a document's file is valid */
	constructor(private readonly fileLifetimeMs: () => number) {}

	/** @param size where it is signed, too */
	upload({ objectKey, contentType }: StoredDocument, size: number | undefined, expiresAt: Date) {
		return this.sign('PUT', `/documents/${objectKey}`, expiresAt, {
			'content-type': contentType,
			...(size !== undefined && { 'content-length': String(size) }),
		});
	}

	file({ objectKey }: StoredDocument) {
		const expiresAt = new Date(Date.now() + this.fileLifetimeMs());
		return this.sign('GET', `/documents/${objectKey}`, expiresAt);
	}

	/** A result in which the address of its document's file is another one than in any read before. */
	signedAnew(result: unknown, document: StoredDocument): unknown {
		const known = new RegExp(`[^"]*/documents/${document.objectKey}\\?[^"]*`, 'g');
		return JSON.parse(JSON.stringify(result).replace(known, this.file(document)));
	}

	merged(key: string) {
		return this.sign('GET', `/merged/${key}`);
	}

	/** @param headers of the request, which must be the signed ones */
	check(method: string, url: string, headers: Record<string, unknown>) {
		const { pathname, searchParams } = new URL(url, this.origin);
		const expiresAt = new Date(Number(searchParams.get('X-Amz-Expires-At')));
		if (!searchParams.get('X-Amz-Signature') || !expiresAt.getTime()) return 'missing';
		const names = (searchParams.get('X-Amz-SignedHeaders') ?? '').split(';').filter(Boolean);
		const signed = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
		const nonce = searchParams.get('X-Amz-Nonce') ?? '';
		const granted = new URL(this.sign(method, pathname, expiresAt, signed, nonce)).searchParams;
		if (granted.get('X-Amz-Signature') !== searchParams.get('X-Amz-Signature')) return 'mismatch';
		return expiresAt.getTime() <= Date.now() ? 'expired' : undefined;
	}

	private sign(
		method: string,
		path: string,
		expiresAt = new Date(Date.now() + DAY_MS),
		headers: Record<string, string> = {},
		nonce = String(++this.signed),
	) {
		const query = new URLSearchParams({
			'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
			'X-Amz-Expires-At': String(expiresAt.getTime()),
			'X-Amz-SignedHeaders': Object.keys(headers).join(';'),
			'X-Amz-Nonce': nonce,
			'X-Amz-Signature': createHmac('sha256', this.secret)
				.update(JSON.stringify([method, path, expiresAt, headers, nonce]))
				.digest('hex'),
		});
		return `${this.origin}${path}?${query}`;
	}
}
