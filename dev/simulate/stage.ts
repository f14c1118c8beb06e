import { profiles } from '../service/profiles/index.ts';
import { useFolderInMemory } from '../../test/support/binary.ts';
import { VirtualNetwork } from '../virtual/network.ts';
import { startVirtualService, type VirtualService } from '../virtual/service.ts';
import { createElsewhere } from './elsewhere.ts';
import { loadNode, type NodeUnderTest } from './node.ts';

/** What a process needs once for all of its episodes: to make a service takes longer than most of them. */
export interface Stage {
	node: NodeUnderTest;
	network: VirtualNetwork;
	services: VirtualService[];
	/** What n8n keeps. */
	files: Map<string, Buffer>;
	/** A server that nobody should ever send a request to: redirects point at it. */
	elsewhere: { readonly url: string; received: string[] };
}

export async function openStage(): Promise<Stage> {
	const files = useFolderInMemory();
	const network = new VirtualNetwork();
	const { server, received } = createElsewhere();
	const url = network.listen(server);
	const services = [];
	for (const profile of profiles) services.push(await startVirtualService(network, profile));
	return { node: loadNode(), network, services, files, elsewhere: { url, received } };
}
