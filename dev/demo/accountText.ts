import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
	type DetailGroup,
} from '../../nodes/DocumentExtraction/api/details/labels.ts';
import type { Service } from '../../test/support/service.ts';

type Line = [label: string, value: string];

const shown = (value: unknown) => (value ? String(value) : '(leave empty)');

/** What to type into a new credential for an account of the service, in the order of its fields. */
export function accountText(service: Service): string {
	const { environment, apiKey, workflowId } = service.owner('test');
	const { apiDetails } = service.account;
	const details = (group?: DetailGroup) =>
		ALL_DETAILS.filter((name) => API_DETAILS[name].group === group).map((name): Line => {
			const value = name in apiDetails ? apiDetails[name] : undefined;
			return [API_DETAILS[name].label, shown(value)];
		});
	const lines: Line[] = [
		['Environment', environment === 'test' ? 'Test' : 'Live'],
		['Base URL', service.url],
		['API Key', apiKey],
		['Service Workflow ID', workflowId],
		...details(),
		...Object.keys(DETAIL_GROUPS).flatMap((group): Line[] => [
			['', ''],
			[DETAIL_GROUPS[group as DetailGroup].label, 'switch on'],
			...details(group as DetailGroup),
		]),
		['', ''],
		['For Workflow › Check Setup', service.account.openApiUrl],
	];
	const width = Math.max(...lines.map(([label]) => label.length));
	return lines.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}
