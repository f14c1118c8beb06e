import type { Service } from '../../test/support/service.ts';
import type { SavedCredential } from './editor.ts';
import type { RunningN8n } from './server.ts';
import { credentialType } from './workflow.ts';

interface Stoppable {
	stop(): Promise<void>;
}

/** Keeps what is started until the stage closes, which stops it in reverse order. */
export type Keep = <T extends Stoppable>(started: T | Promise<T>) => Promise<T>;

/** Opens what cases share. What was started is stopped, too, where something after it does not start. */
export async function openStage<T>(
	open: (keep: Keep) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
	const kept: Stoppable[] = [];
	const close = async () => {
		for (const each of kept.splice(0).reverse()) await each.stop();
	};
	try {
		const stage = await open(async (started) => {
			const thing = await started;
			kept.push(thing);
			return thing;
		});
		return { ...stage, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/** A simulated service, and a credential for it in n8n. */
export interface Account {
	service: Service;
	credential: SavedCredential;
}

export const credentialFor = async (
	n8n: RunningN8n,
	service: Service,
	name = 'Document Extraction',
) => await n8n.createCredential(credentialType, name, service.credential());
