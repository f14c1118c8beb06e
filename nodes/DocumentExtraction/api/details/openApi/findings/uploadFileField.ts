/** Upload File Field: which field of the upload's form carries the file. */
import { wordsIn } from '../../fields';
import { own, type Located } from '../document';
import { bodySchemas, parametersOf, type Operation } from '../operations';
import { entrySchemas, propertiesOf, type SchemaReader } from '../schemas';
import { allows, fixedValues, isBinary, typesOf } from '../values';
import { UPLOAD_NAMES } from './bodies';
import { listed, type Finding, type Found } from './found';
import type { Reference } from './reference';

export function uploadFileField(reference: Reference, uploads: Operation[]): Found {
	const fields = formFields(reference, uploads);
	const files = fields.filter(({ isFile }) => isFile);
	if (files.length === 0) {
		return {
			found: [],
			note: 'The upload endpoint does not say which of its form fields carries the file. Look in its description or example for the field that takes the file.',
		};
	}
	const names = [...new Set(files.map(({ value }) => value))];
	if (names.length > 1) {
		return listed(
			files.map(toPlainFinding),
			'Several form fields take a file. Choose the one for the document itself.',
		);
	}
	const others = fields.filter((field) => mayBeTheFile(field, files[0]));
	return listed(
		[...files, ...others].map(toPlainFinding),
		others.length > 0
			? `Only '${names[0]}' is declared as a file, but the document itself may go elsewhere. Choose the field for it by the description or example of the upload endpoint.`
			: isAccessory(names[0]) &&
					`By its name, '${names[0]}' may not be the document itself. Check in the description or example of the upload endpoint which field takes the document.`,
	);
}

/** A field of the upload's form. */
interface FormField extends Finding {
	isFile: boolean;
	isRequired: boolean;
	/** Whether it takes any text, and may carry a file that is not declared as one. */
	takesAnyText: boolean;
	/** Whether nothing is said of its type. */
	isUntyped: boolean;
}

const toPlainFinding = ({ value, at }: Finding): Finding => ({ value, at });

function formFields({ document, reader }: Reference, uploads: Operation[]): FormField[] {
	if (document.version === '2.0') {
		return uploads
			.flatMap((upload) => parametersOf(document, upload))
			.filter(({ value }) => own(value, 'in') === 'formData' && typeof value.name === 'string')
			.map(({ value, at }) => ({
				value: String(value.name),
				at,
				isFile: own(value, 'type') === 'file',
				isRequired: own(value, 'required') === true,
				takesAnyText: own(value, 'type') === 'string' && isFreeText(reader, { value, at }),
				isUntyped: false,
			}));
	}
	return uploads
		.flatMap((upload) => bodySchemas(document, upload, isMultipart))
		.flatMap((body) => {
			const required = requiredNames(reader, body);
			return propertiesOf(reader, body).map(({ name, schema }) => ({
				value: name,
				at: schema.at,
				isFile: isFile(reader, schema),
				isRequired: required.has(name),
				takesAnyText: allows(reader, schema, ['string']) && isFreeText(reader, schema),
				isUntyped: typesOf(reader, schema).size === 0,
			}));
		});
}

/** Whether a text may be anything: no choice of values, and no format such as a date. */
function isFreeText(reader: SchemaReader, schema: Located): boolean {
	return (
		fixedValues(reader, schema).length === 0 &&
		reader.parts(schema).every(({ value }) => own(value, 'format') === undefined)
	);
}

function requiredNames(reader: SchemaReader, schema: Located): Set<unknown> {
	return new Set(
		reader.parts(schema).flatMap(({ value }) => {
			const required = own(value, 'required');
			return Array.isArray(required) ? (required as unknown[]) : [];
		}),
	);
}

/** Whether the document may go up in a field, although another is the one that is declared as a file. */
function mayBeTheFile(field: FormField, declared: FormField): boolean {
	if (field.isFile || !field.takesAnyText || UPLOAD_NAMES.has(field.value)) return false;
	const isNeededInstead = field.isRequired && !declared.isRequired;
	return field.isUntyped || isNeededInstead || namesAFile(field.value);
}

/** `file` and `documentContent`, but not `file_name` or `document_type`. */
function namesAFile(name: string): boolean {
	const words = wordsIn(name);
	return (
		words.some((word) =>
			/^(?:files?|documents?|docs?|pdfs?|scans?|content|uploads?)$/.test(word),
		) &&
		!words.some((word) =>
			/^(?:(?:u|gu|uu)?ids?|names?|(?:file)?names?|types?|sizes?|dates?|at|by|urls?)$/.test(word),
		)
	);
}

/** What may accompany a document: its picture, or a file that belongs to it. */
function isAccessory(name: string): boolean {
	return wordsIn(name).some((word) =>
		/^(?:thumbnails?|thumbs?|previews?|icons?|logos?|covers?|avatars?|signatures?)$/.test(word),
	);
}

function isMultipart(mediaType: string): boolean {
	return mediaType.startsWith('multipart/form-data');
}

function isFile(reader: SchemaReader, schema: Located): boolean {
	return (
		isBinary(reader, schema) ||
		entrySchemas(reader, schema).some((entry) => isBinary(reader, entry))
	);
}
