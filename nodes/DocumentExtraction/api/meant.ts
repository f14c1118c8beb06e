/** Fields in which nothing means something as well, such as all documents. */
import { UserError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

/** What stands in a field before expressions are resolved. */
export function entered(context: IExecuteFunctions, itemIndex: number, field: string): unknown {
	return context.getNodeParameter(field, itemIndex, '', { rawExpressions: true });
}

/**
 * Refuses an item for which an expression gives nothing.
 * @param value what stands in the field before expressions are resolved
 * @param meaning what an empty field means
 */
export function assertMeant(label: string, value: unknown, isEmpty: boolean, meaning: string) {
	if (!isEmpty || String(value ?? '') === '') return;
	throw new UserError(`'${label}' is empty for this item`, {
		description: `Its expression gives nothing here, and an empty field means ${meaning}. Clear the field if you want that; if only for some items, send those to a node of their own.`,
	});
}
