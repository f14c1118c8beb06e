import { isDeepStrictEqual } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { DocumentExtraction } from '../nodes/DocumentExtraction/DocumentExtraction.node';
import before from './fixtures/contract.json';
import { contractOfTheNode, type Contract } from './support/contract';

/**
 * `fixtures/contract.json` is the contract of the node: names, types and defaults, which are in users'
 * workflows and credentials. What may differ from it, with all that is in it, and why; nothing else
 * does. What is added to the node is added there, too, by `npm run contract`: `unprotected` lists what is
 * not. Before the first publish, the list is empty: names may still change.
 */
const ALLOWED: { [place: string]: string } = {};

const isIn = (place: string, listed: string) => place === listed || place.startsWith(`${listed}.`);

/** The places that differ, for the node as it is or with another description. Additions break nothing. */
function changes(description = new DocumentExtraction().description) {
	const after = contractOfTheNode(description);
	const known: Contract = before;
	const places = Object.keys(known).filter(
		(place) => !isDeepStrictEqual(known[place], withoutNewValues(after[place], known[place])),
	);
	const listed = Object.keys(ALLOWED);
	return {
		unexpected: places.filter((place) => !listed.some((one) => isIn(place, one))),
		idle: listed.filter((one) => !places.some((place) => isIn(place, one))),
		unprotected: Object.keys(after).filter((place) => !(place in known)),
	};
}

function withoutNewValues(spec: IDataObject | undefined, { values: known }: IDataObject) {
	if (!Array.isArray(spec?.values) || !Array.isArray(known)) return spec;
	return { ...spec, values: spec.values.filter((value) => known.includes(value)) };
}

it('keeps parameters, credential and output as they were, but for what is on the list', () => {
	expect(changes()).toEqual({ unexpected: [], idle: [], unprotected: [] });
});

const LIMITS = ['document.getAll.limit', 'extraction.getAll.limit'];

it.each([
	['a default', '"default":50', '"default":51', LIMITS],
	['a value', '"value":"perItem"', '"value":"each"', ['extraction.extractDocuments.options.calls']],
	['no more than a text', '"displayName":"Limit"', '"displayName":"Most Results"', []],
])('tells where %s has changed', (_, from, to, places) => {
	const text = JSON.stringify(new DocumentExtraction().description);
	expect(text).toContain(from);

	const changed = JSON.parse(text.replaceAll(from, to)) as DocumentExtraction['description'];

	expect(changes(changed).unexpected.sort()).toEqual(places);
});
