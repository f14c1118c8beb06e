import type { IBuilderHint } from 'n8n-workflow';

/** What n8n's workflow builder, which is an AI, is told of the node. */
export const builderHint: IBuilderHint = {
	searchHint:
		'For values from documents such as invoices, receipts, contracts, forms and scans. One node with resource extraction and operation extractFromFiles does the whole job: it uploads the files of all input items, extracts, waits and returns one item per document. It needs no loop, no Wait node and no other operation of this node before it.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-base.splitOut',
			relationHint: 'Makes an item of each row of a table column, e.g. of line items',
		},
		{
			nodeType: 'n8n-nodes-base.emailReadImap',
			relationHint:
				'Gives attachments as attachment_0, attachment_1, …: take them with the pattern attachment_*',
		},
		{
			nodeType: 'n8n-nodes-base.extractFromFile',
			relationHint: 'Reads the plain text or the cells of a file, without an extraction service',
		},
	],
};
