import type { INodeProperties } from 'n8n-workflow';

import * as collection from './collection';
import * as document from './document';
import * as extraction from './extraction';
import type { Operation } from './operation';
import * as workflow from './workflow';

const resources = { collection, document, extraction, workflow };

/** Every operation, by resource and operation as the node's parameters name them. */
export const operations: { [resource: string]: { [operation: string]: Operation } } =
	Object.fromEntries(
		Object.entries(resources).map(([name, resource]) => [name, resource.operations]),
	);

/** The fields of the node's panel below 'Resource'. */
export const fields: INodeProperties[] = Object.values(resources).flatMap((resource) => [
	resource.operationField,
	...Object.values<Operation>(resource.operations).flatMap(({ description }) => description),
]);
