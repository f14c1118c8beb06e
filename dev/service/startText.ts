import type { Account } from './account.ts';
import type { Profile } from './profiles/profile.ts';

interface Started {
	url: string;
	controlUrl: string;
	caFile: string | null;
	account: Account;
}

/** What someone needs who starts the service by hand: an address, keys, what to paste where. */
export function startText(profile: Profile, { url, controlUrl, caFile, account }: Started) {
	const { apiDetails: details } = profile;
	const environments = Object.entries(account).flatMap(([name, { keys, workflows }]) => [
		['', ''],
		[`Environment ${name}`, ''],
		['  API Key', keys.full.secret],
		['  API Key that can only read', keys.readOnly.secret],
		['  Workflow ID', workflows.main.id],
		['  Workflow ID of a second workflow', workflows.second.id],
	]);

	const lines = [
		[`Document-extraction service, profile ${profile.name}`, profile.summary],
		['Base URL', url],
		['OpenAPI document', url + profile.reference.path],
		...(caFile ? [['Certificate to trust', caFile]] : []),
		...environments,
		['', ''],
		['API Details', ''],
		...Object.entries(details).map(([name, value]) => [`  ${labelOf(name)}`, value]),
		['', ''],
		['For tests', controlUrl],
	];
	const width = Math.max(...lines.slice(1).map(([label]) => label.length));
	return lines.map(([label, value]) => `${label.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}

/** As the credential window calls a field: uploadUrlField → Upload URL Field. */
const labelOf = (name: string) =>
	name
		.replace(/[A-Z]/g, ' $&')
		.replace(/^./, (letter) => letter.toUpperCase())
		.replace(/\b(Url|Id)\b/g, (word) => word.toUpperCase());
