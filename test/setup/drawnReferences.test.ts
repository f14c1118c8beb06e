/** OpenAPI documents of drawn accounts, each as another author would write it. */
import { pdfTools } from '../../dev/service/pdf';
import { drawnProfiles } from '../../dev/service/profiles/drawn';
import type { Dialect, Profile } from '../../dev/service/profiles/profile';
import { createService } from '../../dev/service/service';
import { defaultSettings as settings } from '../../dev/service/settings';
import type { ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import { BINARY, said } from './documents';

const MEDIA = { type: 'string', contentMediaType: 'application/octet-stream' };
const DIALECTS: Dialect[] = (['inline', 'named', 'composed'] as const).flatMap((style) => [
	{ version: '3.0.3', style, file: BINARY },
	{ version: '3.0.3', style, file: { type: 'array', items: BINARY }, server: () => '/api/v1' },
	{ version: '3.1.0', style, file: MEDIA, server: (url) => `${url}/api/v1/` },
]);

async function openApiOf(profile: Profile): Promise<unknown> {
	const service = await createService({ profile, settings, pdfs: pdfTools, certificate: null });
	service.setAddresses({ url: 'https://api.example.com', storageUrl: 'https://a.example.com' });
	return (await service.api.inject(profile.reference.path)).json();
}

describe('the OpenAPI document of a drawn account', () => {
	let accounts: Array<{ document: unknown; right: Profile['apiDetails'] }>;

	beforeAll(async () => {
		const profiles = drawnProfiles(1, 60).map((profile, index) => {
			const dialect = DIALECTS[index % DIALECTS.length];
			return { ...profile, reference: { path: '/openapi.json', dialect } };
		});
		accounts = await Promise.all(
			profiles.map(async (profile) => {
				return { document: await openApiOf(profile), right: profile.apiDetails };
			}),
		);
	});

	const all = (detail: ApiDetail) =>
		accounts.map(({ document, right }) => ({ ...said(document, detail), right: right[detail] }));

	it.each<ApiDetail>(['uploadFileField', 'confirmMethod'])('fixes %s', (detail) => {
		expect(all(detail).filter(({ fixed, right }) => String(fixed) !== right)).toEqual([]);
	});

	it('fixes Workflow Endpoint where that is a GET, which certainly changes nothing', () => {
		for (const { right, fixed, possible } of all('workflowEndpoint')) {
			const isRead = right.startsWith('GET');
			expect({ fixed, possible }).toEqual({
				fixed: isRead ? [right] : [],
				possible: isRead ? [] : [right],
			});
		}
	});

	it('fixes Document ID Field only where it is document_id, and else has it among the first', () => {
		const isRight = ({ right, fixed, possible }: ReturnType<typeof all>[number]) => {
			const name = String(right.split('.').at(-1));
			return fixed.length > 0
				? fixed.length === 1 && fixed[0] === 'document_id' && name === 'document_id'
				: possible.slice(0, 5).includes(name);
		};
		expect(all('documentIdField').filter((one) => !isRight(one))).toEqual([]);
		expect(all('documentIdField').filter(({ fixed }) => fixed.length > 0)).not.toEqual([]);
	});

	it.each<ApiDetail>(['uploadUrlEndpoint', 'uploadUrlField', 'finishedStatuses', 'failedStatuses'])(
		'lets the user choose %s',
		(detail) => {
			for (const { right, possible } of all(detail)) {
				expect(possible).toEqual(expect.arrayContaining(right.split(', ')));
			}
		},
	);
});
