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
	const facts = {
		[`Document-extraction service, profile ${profile.name}`]: profile.summary,
		'Base URL': url,
		'OpenAPI document': url + profile.reference.path,
		...(caFile && { 'Certificate to trust': caFile }),
	};
	const environments = Object.entries(account).map(([name, { keys, workflows }]) => ({
		[`Environment ${name}`]: '',
		'  API Key': keys.full.secret,
		'  API Key that can only read': keys.readOnly.secret,
		'  Workflow ID': workflows.main.id,
		'  Workflow ID of a second workflow': workflows.second.id,
	}));
	const details = Object.entries(profile.apiDetails).map(([name, value]) => [
		`  ${labelOf(name)}`,
		value,
	]);
	return [facts, ...environments, { 'API Details': '', ...Object.fromEntries(details) }]
		.concat({ 'For tests': controlUrl })
		.map((part) => Object.entries(part))
		.map((part) => part.map(([label, value]) => `${label.padEnd(38)}${value}`).join('\n'))
		.join('\n\n');
}

/** As the credential window calls a field: uploadUrlField → Upload URL Field. */
const labelOf = (name: string) =>
	name
		.replace(/[A-Z]/g, ' $&')
		.replace(/^./, (letter) => letter.toUpperCase())
		.replace(/\b(Url|Id)\b/g, (word) => word.toUpperCase());
