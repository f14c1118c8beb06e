import type { Control } from '../../dev/service/control';
import type { exchange } from '../../dev/virtual/network';

export type Exchange = typeof exchange;

type Remote<Functions extends { [name: string]: (...given: never[]) => unknown }> = {
	[Name in keyof Functions]: (
		...given: Parameters<Functions[Name]>
	) => Promise<Awaited<ReturnType<Functions[Name]>>>;
};

/** What the tests can see and change behind the back of the service's clients: see `controlOf`. */
export type ServiceControl = Remote<Control> & {
	/** Breaks all connections that are open: whoever waits for an answer waits no more. */
	cutConnections(): Promise<void>;
};

/** @param url of the service's control plane */
export function controlAt(url: string, send: Exchange): ServiceControl {
	const call = async (name: string, given: unknown[]) => {
		const { status, bytes } = await send(`${url}/${name}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(given),
		});
		if (status >= 300) throw new Error(`${name}(${JSON.stringify(given)}) → ${status}: ${bytes}`);
		return JSON.parse(String(bytes)) as unknown;
	};
	return new Proxy({} as ServiceControl, {
		get:
			(_, name) =>
			async (...given: unknown[]) =>
				await call(String(name), given),
	});
}
