import type { PdfTools } from '../service/pdf.ts';
import type { Profile } from '../service/profiles/profile.ts';
import { createService } from '../service/service.ts';
import { defaultSettings, type Settings } from '../service/settings.ts';
import type { VirtualNetwork } from './network.ts';

const BEGINNING = '%PDF-1.7 simulated\n';

/** PDFs without a page: to read and write real ones takes most of the time that a test has. */
export const cheapPdfs: PdfTools = {
	blank: async () => Buffer.from(BEGINNING),
	linesOf: async () => [],
	merge: async (files) => ({
		pages: files.length,
		bytes: Buffer.concat([Buffer.from(BEGINNING), ...files.map(({ bytes }) => bytes)]),
	}),
};

/** The simulated service in this process, on the network given. */
export async function startVirtualService(
	network: VirtualNetwork,
	profile: Profile,
	settings: Partial<Settings> = {},
	pdfs: PdfTools = cheapPdfs,
) {
	const service = await createService({
		profile,
		settings: { ...defaultSettings, ...settings },
		pdfs,
		certificate: null,
	});
	const { api, storage } = service;
	for (const { server } of [api, storage]) {
		// Node.js writes the header by the real clock.
		server.prependListener('request', (_request, response) => {
			response.setHeader('date', new Date().toUTCString());
		});
	}
	await Promise.all([api.ready(), storage.ready()]);
	/** At addresses that nobody has used before, so that nobody remembers anything of them. */
	const move = () => {
		for (const { server } of [api, storage]) network.leave(server);
		const url = network.listen(api.server);
		const storageUrl = network.listen(storage.server);
		service.setAddresses({ url, storageUrl });
		return { url, storageUrl, controlUrl: `${url}/__control__` };
	};
	return { ...service, ...move(), move, profile };
}

export type VirtualService = Awaited<ReturnType<typeof startVirtualService>>;
