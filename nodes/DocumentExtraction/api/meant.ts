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
	const isExpression = String(value).startsWith('=');
	throw new UserError(`${isExpression ? 'The expression in ' : ''}'${label}' gives nothing`, {
		description: `An empty field would mean ${meaning}, so the node did not go on. Correct ${isExpression ? 'the expression or the data that it reads' : 'what is entered'}. If you want ${meaning}, clear the field; if only for some items, send those to a node of their own.`,
	});
}
