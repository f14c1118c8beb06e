import type { INodeProperties } from 'n8n-workflow';
import { DocumentExtractionApi } from '../credentials/DocumentExtractionApi.credentials';
import { OPERATIONS, properties, subtitle } from '../nodes/DocumentExtraction/actions/operations';
import { executeContext } from './support/n8n';

/** What n8n's UX guidelines ask for, and its linters do not see. */

const FIELDS = [properties, new DocumentExtractionApi().properties].flat().flatMap(withInner);

function withInner(field: INodeProperties): INodeProperties[] {
	if (field.type !== 'collection') return [field];
	return [field, ...(field.options as INodeProperties[]).flatMap(withInner)];
}

const textsOf = ({ type, options = [] }: INodeProperties) =>
	options.map((option) =>
		type === 'collection' ? (option as INodeProperties).displayName : option.name,
	);

it('lists what can be chosen in alphabetical order: resources, operations, options and values', () => {
	const lists = FIELDS.filter(({ options }) => options).map(textsOf);

	expect(lists.length).toBeGreaterThan(20);
	for (const texts of lists) {
		expect(texts).toEqual([...texts].sort((one, other) => one.localeCompare(other)));
	}
	// Which `properties` is made from.
	const named = (name: string) => OPERATIONS.filter(({ resource }) => resource === name);
	expect(OPERATIONS).toEqual(['collection', 'document', 'extraction', 'workflow'].flatMap(named));
});

it('begins examples in empty fields with "e.g."', () => {
	const examples = FIELDS.flatMap(({ type, placeholder, modes = [] }) => [
		...(type === 'collection' || type === 'fixedCollection' ? [] : [placeholder]),
		...modes.map((mode) => mode.placeholder),
	]).filter((example) => example !== undefined);

	expect(examples.length).toBeGreaterThan(10);
	expect(examples.filter((example) => !example.startsWith('e.g. '))).toEqual([]);
});

it('has no hint longer than n8n allows', () => {
	const hints = FIELDS.flatMap(({ hint = '', modes = [] }) => [
		hint,
		...modes.map((mode) => mode.hint ?? ''),
	]);

	expect(hints.filter(Boolean).length).toBeGreaterThan(10);
	expect(hints.filter((hint) => hint.length > 120)).toEqual([]);
});

it('lists actions in sentence case and without articles', () => {
	for (const { action } of OPERATIONS) {
		expect(action).toMatch(/^[A-Z][a-z]+( (?!(?:a|an|the)\b)(?:[a-z]+|URL))+$/);
	}
});

it('shows under the node what it does, in the words of the panel', () => {
	const shown = OPERATIONS.map(({ resource, value: operation }) =>
		executeContext({ parameters: { resource, operation } }).evaluateExpression(subtitle.slice(1)),
	);

	expect(shown).toEqual(
		OPERATIONS.map(
			({ resource, name }) => `${resource[0].toUpperCase()}${resource.slice(1)}: ${name}`,
		),
	);
	expect(shown).toContain('Document: Get Many');
});
