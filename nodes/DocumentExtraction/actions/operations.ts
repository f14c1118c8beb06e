import { updateDisplayOptions } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';

import { merge } from './collection/merge.operation';
import { confirmUpload } from './document/confirmUpload.operation';
import { createUploadUrl } from './document/createUploadUrl.operation';
import { getManyDocuments } from './document/getMany.operation';
import { upload } from './document/upload.operation';
import { extractDocuments } from './extraction/extractDocuments.operation';
import { extractFromFiles } from './extraction/extractFromFiles.operation';
import { extractOne } from './extraction/extractOne.operation';
import { getManyExtractions } from './extraction/getMany.operation';
import type { Operation } from './operation';
import { checkSetup } from './workflow/checkSetup.operation';
import { getWorkflow } from './workflow/get.operation';
import { waitUntilExtracted } from './workflow/waitUntilExtracted.operation';

/** Every operation of the node, in the order of the panel: n8n's reviewers ask for alphabetical order. */
export const OPERATIONS: Operation[] = [
	merge,
	confirmUpload,
	createUploadUrl,
	getManyDocuments,
	upload,
	extractDocuments,
	extractFromFiles,
	extractOne,
	getManyExtractions,
	checkSetup,
	getWorkflow,
	waitUntilExtracted,
];

/** With their default operations: n8n does not save a default value in a workflow, so these never change. */
const RESOURCES = [
	{
		name: 'Collection',
		value: 'collection',
		description: 'Merge the PDFs of a group of related documents',
		operation: merge,
	},
	{
		name: 'Document',
		value: 'document',
		description: 'Upload files without extracting them yet, or list documents',
		operation: upload,
	},
	{
		name: 'Extraction',
		value: 'extraction',
		description: 'Get values from files, or from uploaded documents',
		operation: extractFromFiles,
	},
	{
		name: 'Workflow',
		value: 'workflow',
		description: "Read the service's workflow, wait for its extractions, or check your setup",
		operation: getWorkflow,
	},
];

const resource: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: RESOURCES.map(({ name, value, description }) => ({ name, value, description })),
	default: 'extraction',
};

/** On the canvas, in the panel's words: an expression, e.g. for "Extraction: Get Many". */
export const subtitle = `={{ (${JSON.stringify(
	Object.fromEntries(
		OPERATIONS.map(({ resource: ofResource, value, name }) => [
			`${ofResource} ${value}`,
			`${RESOURCES.find((one) => one.value === ofResource)?.name}: ${name}`,
		]),
	),
)})[$parameter.resource + " " + $parameter.operation] }}`;

/** The fields of the node's panel; those of an operation appear with it alone. */
export const properties: INodeProperties[] = [
	resource,
	...RESOURCES.flatMap(({ value: ofResource, operation }): INodeProperties[] => {
		const { value: defaultOperation } = operation;
		const operations = OPERATIONS.filter((operation) => operation.resource === ofResource);
		return [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: [ofResource] } },
				options: operations.map(({ name, value, description, action, builderHint }) => ({
					name,
					value,
					description,
					action,
					builderHint,
				})),
				default: defaultOperation,
			},
			...operations.flatMap(({ value, fields }) =>
				updateDisplayOptions({ show: { resource: [ofResource], operation: [value] } }, fields),
			),
		];
	}),
];
