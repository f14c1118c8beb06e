/** Direct upload (interface.md §4.2), whose form field for the file is not shown. */
import type { DocumentExtractionCredential } from '../credential';
import { mistake, requireDetail, unquoted } from './detail';
import { documentIdField } from './responses';

const FIELD_NAME = /^[^\s"'`“”‘’=@<>{}:;,\\]+$/;
/** What curl's -F sends, where it sends a file: name=@file. */
const FILE_PART = /^["']?([^\s"'=@]+)=["']?@/;

/** The names of the form fields that a curl command sends files in: -F 'name=@file', --form name=@file. */
function fileFieldsInCurl(text: string): Set<string> {
	const words = text.split(/\s+/);
	const parts = words.flatMap((word, index) => {
		const flag = ['--form', '-F'].find((known) => word.startsWith(known));
		if (flag === undefined) return [];
		const rest = word.slice(flag.length);
		return rest === '' ? (words[index + 1] ?? '') : rest.replace(/^=/, '');
	});
	return new Set(parts.flatMap((part) => FILE_PART.exec(part)?.[1] ?? []));
}

/**
 * The name of the form field: entered as such, as `name=@file`, or within a curl command.
 * @throws UserError naming the field and what to enter
 */
export function uploadFileField(credential: DocumentExtractionCredential): string {
	const text = unquoted(requireDetail(credential, 'uploadFileField'));
	if (FIELD_NAME.test(text)) return text;
	const inCurl = fileFieldsInCurl(text);
	const [alone] = /^[^\s"'=@]+(?==@)/.exec(text) ?? [];
	const [name, ...others] = inCurl.size > 0 ? inCurl : [alone];
	if (name !== undefined && FIELD_NAME.test(name) && others.length === 0) return name;
	throw mistake(
		'uploadFileField',
		others.length > 0
			? `names several fields that carry a file: ${[name, ...others].join(', ')}. Enter one of them`
			: "is not the name of a form field. Enter the name alone, e.g. 'file', or the part of a curl command that sends the file, e.g. -F 'file=@invoice.pdf'",
	);
}

/**
 * Checks that a direct upload can be done, before the first request.
 * @throws UserError naming the API Detail
 */
export function assertDirectUpload(credential: DocumentExtractionCredential) {
	uploadFileField(credential);
	documentIdField(credential);
}
