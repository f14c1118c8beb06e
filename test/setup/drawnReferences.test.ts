/** OpenAPI documents of drawn accounts, each as another author would write it. */
import { pdfTools } from '../../dev/service/pdf';
import { drawnProfiles } from '../../dev/service/profiles/drawn';
import type { Dialect, Profile } from '../../dev/service/profiles/profile';
import { createService } from '../../dev/service/service';
import { defaultSettings } from '../../dev/service/settings';
import type { ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import { findingsOf } from './documents';

const BINARY = { type: 'string', format: 'binary' };
const DIALECTS: Dialect[] = (['inline', 'named', 'composed'] as const).flatMap((style) => [
	{ version: '3.0.3', style, file: BINARY },
	{ version: '3.0.3', style, file: { type: 'array', items: BINARY }, server: () => '/api/v1' },
	{
		version: '3.1.0',
		style,
		file: { type: 'string', contentMediaType: 'application/octet-stream' },
		server: (url) => `${url}/api/v1/`,
	},
]);

async function openApiOf(profile: Profile): Promise<unknown> {
	const settings = defaultSettings;
	const { api, setAddresses } = await createService({
		...{ profile, settings, pdfs: pdfTools, certificate: null },
	});
	setAddresses({ url: 'https://api.example.com', storageUrl: 'https://files.example.com' });
	return (await api.inject(profile.reference.path)).json();
}

const drawn = drawnProfiles(1, 60).map((profile, index) => {
	const dialect = DIALECTS[index % DIALECTS.length];
	return { ...profile, reference: { path: '/openapi.json', dialect } };
});

describe('the OpenAPI document of a drawn account', () => {
	let findings: Array<{
		proposals: ReturnType<typeof findingsOf>;
		right: Profile['apiDetails'];
	}>;

	beforeAll(async () => {
		findings = await Promise.all(
			drawn.map(async (profile) => ({
				proposals: findingsOf(await openApiOf(profile)),
				right: profile.apiDetails,
			})),
		);
	});

	const valuesOf = (detail: ApiDetail, says: 'fixed' | 'possible') =>
		findings.map(({ proposals, right }) => ({
			right: right[detail],
			values: proposals
				.filter((one) => one.detail === detail && one.says === says)
				.map(({ value }) => value),
		}));

	it.each<ApiDetail>(['uploadFileField', 'confirmMethod'])('fixes %s', (detail) => {
		const found = valuesOf(detail, 'fixed');
		expect(found.map(({ values }) => values)).toEqual(found.map(({ right }) => [right]));
	});

	it('fixes Workflow Endpoint where that is a GET, which certainly changes nothing', () => {
		for (const says of ['fixed', 'possible'] as const) {
			for (const { right, values } of valuesOf('workflowEndpoint', says)) {
				const isRight = right.startsWith('GET') === (says === 'fixed');
				expect(values).toEqual(isRight ? [right] : []);
			}
		}
	});

	it('fixes Document ID Field only where it is document_id, and else has it among the first', () => {
		const possible = valuesOf('documentIdField', 'possible');
		const found = valuesOf('documentIdField', 'fixed').map(({ right, values }, index) => ({
			isFixed: values.length > 0,
			name: right.split('.').at(-1),
			values: [...values, ...possible[index].values].slice(0, 5),
		}));
		const wrong = found.filter(({ isFixed, name, values }) =>
			isFixed ? name !== 'document_id' || values.length > 1 : !values.some((one) => one === name),
		);
		expect(wrong).toEqual([]);
		expect(found.filter(({ isFixed }) => isFixed).length).toBeGreaterThan(10);
	});

	it.each<ApiDetail>(['uploadUrlEndpoint', 'uploadUrlField', 'finishedStatuses'])(
		'lets the user choose %s',
		(detail) => {
			for (const { right, values } of valuesOf(detail, 'possible')) {
				expect(values).toEqual(expect.arrayContaining(right.split(', ')));
			}
		},
	);
});
