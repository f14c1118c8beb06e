/** Files that an expression gives itself, where others give the name of a field. */
import { UserError } from 'n8n-workflow';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { fieldsOf } from '../api/details/fields';
import { keepsFilesInJson, storedFile } from './itemFiles';

const FIELD = "'Input Data Field Name'";

/**
 * The file that an expression gives: with its content in itself, or a stored one that came to the
 * node in this execution. An ID alone proves nothing: in anybody's JSON, it would read other
 * workflows' files.
 * @param value what the expression gives, or an entry of its list
 * @throws UserError for anything else
 */
export function givenFile(context: IExecuteFunctions, value: object | null): IBinaryData {
	const { id, data, ...given } = (value ?? {}) as Record<string, unknown>;
	const about = {
		...given,
		mimeType: textOf(given.mimeType),
		fileName: textOf(given.fileName) || undefined,
		fileExtension: textOf(given.fileExtension) || undefined,
	};
	if (typeof id === 'string' && id) {
		const stored = storedFile(context, id);
		if (stored) return { ...stored, ...about, id };
		throw new UserError(`The file that ${FIELD} gives comes from no node before this one`, {
			description: `A file that n8n has stored is taken only from this node's input, or from the output of a node that is connected before it and has run in this execution. Anything else could be a file of another flow. ${howToGive(context)}`,
		});
	}
	if (typeof data === 'string' && data) {
		if (isBase64(data)) return { ...about, data };
		throw new UserError(`The 'data' of the file that ${FIELD} gives is not Base64`, {
			description: "It must be the file's content in Base64, without 'data:' and a type before it.",
		});
	}
	if ('mimeType' in given) {
		throw new UserError(`The file that ${FIELD} gives has no content`, {
			description: `Where n8n keeps files in memory, it leaves the content out of $binary and $node. ${howToGive(context)}`,
		});
	}
	throw new UserError(`${FIELD} gives something that is not a file`, {
		description: `It has: ${fieldsOf(value)}. ${howToGive(context)}`,
	});
}

/** What to enter for a file, in words for a message. */
export function howToGive(context: IExecuteFunctions): string {
	const expression = keepsFilesInJson(context)
		? "{{ $('Node').item._files.data }}, or {{ $items('Node')[$itemIndex].binary.data }} where n8n keeps files in memory"
		: "{{ $('Node').item.binary.data }}";
	return `For a file of the input item, enter the name of its field alone, e.g. data. For a file of an earlier node, enter ${expression}, with the names of your node and field.`;
}

/** What becomes of a file where there is anything beside its expression. */
const OBJECT_IN_TEXT = '[object Object]';

/** @throws UserError where a text has swallowed the files that expressions gave */
export function assertNoFileInText(context: IExecuteFunctions, text: string) {
	if (!text.includes(OBJECT_IN_TEXT)) return;
	throw new UserError(`${FIELD} has something beside the expression that gives a file`, {
		description: `Remove everything before {{ and after }}, spaces too. For several files, enter one expression that gives a list: {{ [first, second] }}. ${howToGive(context)}`,
	});
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** Lines may be broken, as in emails. */
function isBase64(text: string): boolean {
	return /^[\w+/\s-]*(?:=[=\s]*)?$/.test(text);
}
