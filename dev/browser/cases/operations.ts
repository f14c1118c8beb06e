import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
	type INode,
	type INodeProperties,
	type INodePropertyOptions,
	NodeHelpers,
} from 'n8n-workflow';
import { DocumentExtraction } from '../../../nodes/DocumentExtraction/DocumentExtraction.node.ts';
import { nodeType } from '../../n8n/workflow.ts';
import type { Stage } from '../stage.ts';

const { description } = new DocumentExtraction();

const optionsOf = ({ options }: INodeProperties) => (options ?? []) as INodePropertyOptions[];

const property = (name: string, resource?: string) =>
	description.properties.find(
		(candidate) =>
			candidate.name === name &&
			(!resource || candidate.displayOptions?.show?.resource?.includes(resource)),
	) as INodeProperties;

/** What the panel should show for an operation, as long as nothing else is entered. */
function shownProperties(resource: string, operation: string): INodeProperties[] {
	const node = { type: nodeType, typeVersion: 1 } as INode;
	const parameters =
		NodeHelpers.getNodeParameters(
			description.properties,
			{ resource, operation },
			true,
			false,
			node,
			description,
		) ?? {};
	return description.properties.filter((candidate) =>
		NodeHelpers.displayParameter(parameters, candidate, node, description),
	);
}

const operations = optionsOf(property('resource')).flatMap((resource) =>
	optionsOf(property('operation', String(resource.value))).map((operation) => ({
		resource,
		operation,
	})),
);

export default ({ editor, credential }: Stage) => {
	describe('every operation', () => {
		before(async () => {
			await credential();
			await editor.openNewWorkflow();
			await editor.addAction('Extract values from files with your service');
		});

		test('is offered with its resource', async () => {
			const resources = optionsOf(property('resource'));
			assert.deepEqual(
				await editor.dropdownTexts('resource'),
				resources.map(({ name }) => name),
			);
			for (const { name, value } of resources) {
				await editor.choose('resource', name);
				assert.deepEqual(
					await editor.dropdownTexts('operation'),
					optionsOf(property('operation', String(value))).map((operation) => operation.name),
				);
			}
		});

		for (const { resource, operation } of operations) {
			test(`${resource.name} › ${operation.name} shows its fields, without complaints`, async () => {
				await editor.choose('resource', resource.name);
				await editor.choose('operation', operation.name);
				const shown = shownProperties(String(resource.value), String(operation.value));

				const labels = await editor.shownLabels();
				const expected = shown.filter(({ type }) => type !== 'notice');
				for (const { displayName } of expected) {
					assert.ok(
						labels.includes(displayName),
						`${displayName} is not among ${labels.join(', ')}`,
					);
				}
				for (const choice of shown.filter(({ type }) => type === 'options')) {
					if (choice.name === 'operation' || choice.name === 'resource') continue;
					assert.deepEqual(
						await editor.dropdownTexts(choice.name),
						optionsOf(choice).map(({ name }) => name),
					);
				}
				const options = shown.find(({ name }) => name === 'options') as INodeProperties;
				assert.deepEqual(
					await editor.optionNames(),
					(options.options as INodeProperties[]).map(({ displayName }) => displayName),
				);
				assert.equal(await editor.complaints().count(), 0);
			});
		}
	});
};
