import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoredFile } from './model.ts';

/** A folder, the service's own memory, or nowhere: then files are only counted and hashed. */
export type FilePlace = { folder: string } | 'memory' | 'nowhere';

export class FileStore {
	private readonly folder?: string;

	constructor(private readonly place: FilePlace) {
		if (typeof place === 'object') this.folder = place.folder;
	}

	/** Streams to where files are kept; nothing is left behind when the source breaks off. */
	async save(source: Readable): Promise<StoredFile> {
		const { folder, place } = this;
		if (folder) await mkdir(folder, { recursive: true });
		const path = folder && join(folder, randomUUID());
		const hash = createHash('sha256');
		const kept: Buffer[] = [];
		let size = 0;
		const counted = new Transform({
			transform(chunk: Buffer, _encoding, done) {
				hash.update(chunk);
				size += chunk.length;
				if (place === 'memory') kept.push(chunk);
				done(null, path ? chunk : undefined);
			},
		});
		try {
			if (path) await pipeline(source, counted, createWriteStream(path));
			else await pipeline(source, counted.resume());
		} catch (error) {
			await this.remove({ path });
			throw error;
		}
		const bytes = place === 'memory' ? Buffer.concat(kept) : undefined;
		return { path, bytes, size, sha256: hash.digest('hex') };
	}

	async remove({ path }: Pick<StoredFile, 'path'>) {
		if (path) await rm(path, { force: true });
	}

	async clear() {
		if (this.folder) await rm(this.folder, { recursive: true, force: true });
	}
}
