import { join } from 'node:path';
import sharp from 'sharp';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { type Appearance, type Subject, takeScreenshots } from './screenshots.ts';

export interface Scene {
	subject: Subject;
	/** How long it is shown. */
	ms: number;
}

const appearances: Appearance[] = ['light', 'dark'];

/** Takes `<name>.light.gif` and `<name>.dark.gif`, which show the scenes in turn; the names of the files. */
export async function takeFilm(folder: string, name: string, scenes: Scene[]): Promise<string[]> {
	const parts = await temporaryFolder('film');
	for (const [index, { subject }] of scenes.entries()) {
		await takeScreenshots(parts, `scene${index}`, subject);
	}
	const delay = scenes.map(({ ms }) => ms);
	const films = appearances.map((appearance) => ({
		file: `${name}.${appearance}.gif`,
		pictures: scenes.map((_, index) => join(parts, `scene${index}.${appearance}.png`)),
	}));
	for (const { file, pictures } of films) {
		await sharp(pictures, { join: { animated: true } })
			.gif({ delay, loop: 0, effort: 10 })
			.toFile(join(folder, file));
	}
	return films.map(({ file }) => file);
}
