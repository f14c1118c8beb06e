import type { StoredDocument } from './model.ts';
import type { Signatures } from './signatures.ts';

const dayMs = 24 * 60 * 60_000;

/** The addresses of objects in the storage, signed. */
export class StorageAddresses {
	/** Known once the storage listens. */
	origin = '';

	constructor(private readonly signatures: Signatures) {}

	upload(document: StoredDocument, size: number | undefined, expiresAt: Date) {
		return this.signed('PUT', `/documents/${document.objectKey}`, expiresAt, {
			'content-type': document.contentType,
			...(size !== undefined && { 'content-length': String(size) }),
		});
	}

	file(document: StoredDocument) {
		return this.signed('GET', `/documents/${document.objectKey}`, inADay());
	}

	merged(key: string) {
		return this.signed('GET', `/merged/${key}`, inADay());
	}

	private signed(
		method: 'GET' | 'PUT',
		path: string,
		expiresAt: Date,
		headers?: Record<string, string>,
	) {
		return this.origin + this.signatures.sign({ method, path, expiresAt, headers });
	}
}

const inADay = () => new Date(Date.now() + dayMs);
