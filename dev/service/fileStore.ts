import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoredFile } from './model.ts';

/** Keeps what is uploaded, or, with `discard`, only counts and hashes it. */
export class FileStore {
	constructor(
		private readonly directory: string,
		private readonly discard: boolean,
	) {}

	/** Streams to disk; nothing is left behind when the source breaks off. */
	async save(source: Readable): Promise<StoredFile> {
		if (!this.discard) await mkdir(this.directory, { recursive: true });
		const path = this.discard ? undefined : join(this.directory, randomUUID());
		const hash = createHash('sha256');
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
				path
					? createWriteStream(path)
					: new Writable({ write: (_chunk, _encoding, done) => done() }),
			);
		} catch (error) {
			await this.remove({ path });
			throw error;
		}

		return { path, size, sha256: hash.digest('hex') };
	}

	async remove({ path }: Pick<StoredFile, 'path'>) {
		if (path) await rm(path, { force: true });
	}

	async clear() {
		await rm(this.directory, { recursive: true, force: true });
	}
}
