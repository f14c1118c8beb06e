import type { ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import { findingsIn } from '../../nodes/DocumentExtraction/setup/findings';
import { referenceFrom } from '../../nodes/DocumentExtraction/setup/reference';
import { drawReference } from './drawnReferences';

const SEEDS = Array.from({ length: 500 }, (_, seed) => seed);

/** Whether a path leads to a field that is named by its last step alone. */
const leadsTo = (value: string, right: string) => value === right || value.endsWith(`.${right}`);

const said = SEEDS.flatMap((seed) => {
	const { document, right } = drawReference(seed);
	const proposals = findingsIn(referenceFrom(document));
	return Object.entries(right).map(([detail, value]) => {
		const own = proposals.filter((one) => one.detail === (detail as ApiDetail) && one.value !== '');
		const fixed = own.filter(({ says }) => says === 'fixed').map((one) => one.value);
		const place = own.findIndex((one) => leadsTo(one.value, value));
		return { seed, detail, value, fixed, place, own: own.map((one) => one.value) };
	});
});

it('no reference fixes a value that is not right', () => {
	const wrong = said.filter(({ fixed, value }) => fixed.some((one) => one !== value));
	expect(wrong).toEqual([]);
});

it('what is right is among the first values, whatever the style', () => {
	const missed = said.filter(({ place }) => place < 0 || place > 5);
	expect(missed).toEqual([]);
});

it.each<[ApiDetail, number]>([
	['uploadFileField', 0.8],
	['workflowEndpoint', 0.75],
	['confirmMethod', 1],
])('%s is fixed wherever a reference leaves no other', (detail, share) => {
	const own = said.filter((one) => one.detail === detail);
	const fixed = own.filter((one) => one.fixed.length === 1);
	expect(fixed.length / own.length).toBeGreaterThanOrEqual(share);
});
