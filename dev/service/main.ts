import { Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';
import { profiles } from './profiles/index.ts';
import { linesOf } from './profiles/profile.ts';
import { startService } from './service.ts';
import { defaultSettings, type Settings } from './settings.ts';

const count = (text: string) => {
	if (/^\d+$/.test(text)) return Number(text);
	throw new InvalidArgumentError('Not a whole number.');
};

const settingsIn = (json: string) => JSON.parse(json) as Partial<Settings>;

const program = new Command('service')
	.description('A document-extraction service on this machine, for demonstrations and tests.')
	.addOption(
		new Option('--profile <name>', 'what the service looks like where its interface is open')
			.choices(profiles.map(({ name }) => name))
			.default('atlas'),
	)
	.option('--port <number>', 'of the API; 0: any free one', count, 0)
	.option('--json', 'say the addresses in one line of JSON')
	.option('--settings <json>', 'what differs from those in settings.ts', settingsIn, {})
	.option('--tls', 'serve https with a certificate of its own', false)
	.option('--exit-with-parent', 'end when standard input closes', false);

const flags = program.parse().opts<{
	profile: string;
	port: number;
	json?: boolean;
	settings: Partial<Settings>;
	tls: boolean;
	exitWithParent: boolean;
}>();
const profile = profiles.find(({ name }) => name === flags.profile) ?? profiles[0];

const service = await startService({
	...flags,
	profile,
	settings: { ...defaultSettings, ...flags.settings },
}).catch((error: Error) => program.error(`error: ${error.message}`));

/** However often it is told: by a signal, or by its parent's end. */
const end = new Promise<void>((toldToEnd) => {
	process.on('SIGINT', () => toldToEnd()).on('SIGTERM', () => toldToEnd());
	if (flags.exitWithParent) process.stdin.on('close', toldToEnd).resume();
});

const { url, storageUrl, controlUrl, caFile } = service;
if (flags.json) {
	const ready = { url, storageUrl, controlUrl, profile: profile.name, ...(caFile && { caFile }) };
	console.log(JSON.stringify(ready));
} else {
	const { test, live } = service.account;
	const told = {
		Service: `${profile.name}: ${profile.summary}`,
		'Base URL': url,
		'OpenAPI Document': url + profile.reference.path,
		...(caFile && { 'Certificate to trust': caFile }),
		...Object.fromEntries(
			Object.entries({ test, live }).map(([environment, { keys, workflows }]) => [
				`Environment ${environment}`,
				{
					'API Key': keys.full.secret,
					'API Key that can only read': keys.readOnly.secret,
					'Service Workflow ID': workflows.main.id,
					'Service Workflow ID of a second one': workflows.second.id,
				},
			]),
		),
		'API Details': linesOf(profile.apiDetails),
		'For tests': controlUrl,
	};
	console.log(stringify(told, { lineWidth: 0 }));
}

await end;
await service.stop();
process.exit(0);
