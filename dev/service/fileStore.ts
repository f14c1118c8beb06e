import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoredFile } from './model.ts';

/** A folder, the service's own memory, or nowhere: then files are only counted and hashed. */
export type FilePlace = { folder: string } | 'memory' | 'nowhere';

export class FileStore {
	constructor(private readonly place: FilePlace) {}

	/** Streams to where files are kept; nothing is left behind when the source breaks off. */
	async save(source: Readable): Promise<StoredFile> {
		const folder = this.folder();
		if (folder) await mkdir(folder, { recursive: true });
		const path = folder && join(folder, randomUUID());
		const hash = createHash('sha256');
		const kept: Buffer[] = [];
		let size = 0;

		try {
			await pipeline(
				source,
				async function* (chunks: AsyncIterable<Buffer>) {
					for await (const chunk of chunks) {
						hash.update(chunk);
						size += chunk.length;
						yield chunk;
					}
				},
				path ? createWriteStream(path) : this.sink(kept),
			);
		} catch (error) {
			await this.remove({ path });
			throw error;
		}

		const bytes = this.place === 'memory' ? Buffer.concat(kept) : undefined;
		return { path, bytes, size, sha256: hash.digest('hex') };
	}

	private folder() {
		return typeof this.place === 'object' ? this.place.folder : undefined;
	}

	private sink(kept: Buffer[]) {
		const isKept = this.place === 'memory';
		return new Writable({
			write: (chunk: Buffer, _encoding, done) => {
				if (isKept) kept.push(chunk);
				done();
			},
		});
	}

	async remove({ path }: Pick<StoredFile, 'path'>) {
		if (path) await rm(path, { force: true });
	}

	async clear() {
		const folder = this.folder();
		if (folder) await rm(folder, { recursive: true, force: true });
	}
}
