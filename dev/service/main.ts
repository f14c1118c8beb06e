import { Command, InvalidArgumentError, Option } from 'commander';
import { profiles } from './profiles/index.ts';
import { startService } from './service.ts';
import { defaultSettings, type Settings } from './settings.ts';
import { startText } from './startText.ts';
import { toldToEnd } from './toldToEnd.ts';

const count = (text: string) => {
	const value = Number(text);
	if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('Not a whole number.');
	return value;
};

const program = new Command('service')
	.description('A document-extraction service on this machine, for demonstrations and tests.')
	.addOption(
		new Option('--profile <name>', 'what the service looks like where its interface is open')
			.choices(profiles.map(({ name }) => name))
			.default('atlas'),
	)
	.option('--port <number>', 'of the API; 0: any free one', count, 0)
	.option('--storage-port <number>', 'of the object storage; 0: any free one', count, 0)
	.option('--json', 'say the addresses in one line of JSON')
	.option('--latency <ms>', 'added to every answer', count, defaultSettings.latencyMs)
	.option('--rate <requests>', 'allowed to each key within a window', count)
	.option('--rate-window <ms>', "instead of the profile's own", count)
	.option('--max-in-flight <requests>', 'allowed to each key at once', count)
	.option('--extraction-ms <ms>', 'for each document', count, defaultSettings.extractionMs)
	.option('--start-ms <ms>', 'until an extraction begins', count, defaultSettings.startMs)
	.option('--data-dir <directory>', 'for the files; a temporary one if absent')
	.option('--discard-files', 'only count and hash the files', false)
	.option('--tls', 'serve https with a certificate of its own', false)
	.addOption(
		new Option('--open-api <detail>', 'what the OpenAPI document says, if there is one')
			.choices(['full', 'bare', 'none'])
			.default(defaultSettings.openApi),
	)
	.option('--exit-with-parent', 'end when standard input closes', false);

export interface Flags {
	profile: string;
	port: number;
	storagePort: number;
	json?: boolean;
	latency: number;
	rate?: number;
	rateWindow?: number;
	maxInFlight?: number;
	extractionMs: number;
	startMs: number;
	dataDir?: string;
	discardFiles: boolean;
	tls: boolean;
	openApi: Settings['openApi'];
	exitWithParent: boolean;
}

const flags = program.parse().opts<Flags>();
const profile = profiles.find(({ name }) => name === flags.profile) ?? profiles[0];

const service = await startService({
	profile,
	settings: {
		...defaultSettings,
		latencyMs: flags.latency,
		rate: flags.rate ? { limit: flags.rate, windowMs: flags.rateWindow } : null,
		maxInFlight: flags.maxInFlight ?? null,
		extractionMs: flags.extractionMs,
		startMs: flags.startMs,
		openApi: flags.openApi,
	},
	port: flags.port,
	storagePort: flags.storagePort,
	dataDirectory: flags.dataDir,
	discardFiles: flags.discardFiles,
	tls: flags.tls,
}).catch((error: Error) => program.error(`error: ${error.message}`));

const end = toldToEnd({ withParent: flags.exitWithParent });

const { url, storageUrl, controlUrl, caFile } = service;
if (flags.json) {
	const ready = { url, storageUrl, controlUrl, profile: profile.name, ...(caFile && { caFile }) };
	console.log(JSON.stringify(ready));
} else {
	console.log(startText(profile, service));
}

await end;
await service.stop();
process.exit(0);
