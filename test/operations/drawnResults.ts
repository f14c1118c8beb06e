/**
 * Results as services that extract by model return them, drawn from a seed. The interface leaves their
 * form open (interface.md §2): each account knows what its user would enter, and the row of each document.
 */
import type { ResultFields } from '../../nodes/DocumentExtraction/account/account';
import type { DocumentResults } from '../../nodes/DocumentExtraction/service/extractions';

type Random = () => number;
type Json = { [name: string]: unknown };

/** Numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): Random {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const pick = <T>(random: Random, list: T[]): T => list[Math.floor(random() * list.length)];

const COLUMNS: string[][] = [
	['vendorName', 'invoiceTotal', 'dueDate', 'purchaseOrder', 'taxId'],
	['Patient', 'Date of birth', 'Diagnosis', 'Medication', 'Next appointment'],
	['Nom', 'Prénom', 'Né le', 'Numéro de passeport', 'Nationalité'],
	['Shipper', 'Consignee', 'Port of loading', 'Gross weight', 'Packages'],
	['Is signed', 'Is dated', 'Has stamp'],
	['Parties', 'Governing law', 'Term', 'Renewal', 'Liability cap', 'Signatures'],
	['IBAN', 'BIC', 'Account holder', 'Balance'],
	['Grand total'],
	['Candidate', 'Email', 'Years of experience', 'Skills', 'Profile link'],
];

function valueOf(random: Random, column: string, number: number): unknown {
	if (/^(Is|Has) /.test(column)) return random() < 0.5;
	if (/Signatures|Skills|Packages/.test(column)) {
		return [1, 2, 3]
			.slice(0, 1 + (number % 3))
			.map((row) => ({ part: `P${number}-${row}`, count: row }));
	}
	if (/total|weight|cap|Balance|Years/i.test(column))
		return pick(random, [12.5 * number, `€ ${number},00`]);
	if (/date|birth|Né le|appointment|Term/i.test(column))
		return `${1 + (number % 28)}.0${1 + (number % 9)}.2025`;
	if (column === 'Email') return `person${number}@example.org`;
	if (column === 'Profile link') return `https://people.example.org/${number}`;
	return `${pick(random, ['North', 'Blue', 'Old', 'Saint'])} ${column.slice(-3)} ${number}`;
}

/** What is known of a value besides; some of it is named like the value itself. */
function about(random: Random, index: number): Json {
	const extras: Json[] = [
		{},
		{ confidence: 0.99 - index / 50 },
		{ score: 0.9, page: 1 },
		{ boundingBox: [10, 20, 30 + index, 40], pageNumber: 1 },
		{ probability: 0.7 + index / 40, status: 'extracted' },
		{ citations: [{ text: `line ${index}`, page: 1 + index }] },
		{ validation: { value: index % 2 === 0, message: null } },
		{ reasoning: `It stands in line ${index}.`, source: 'ocr' },
	];
	return pick(random, extras);
}

interface Style {
	/** The results of one document: a single one, or one per column. */
	resultsOf: (cells: Array<[column: string, value: unknown]>) => Json[];
	right: ResultFields;
}

const keyOf = (column: string) => column.toLowerCase().replace(/[^a-z]+/g, '_');

/** How an account nests and names its values. What is undefined is not there. */
function drawStyle(random: Random): Style {
	const extras = Math.floor(random() * 2 ** 30);
	const besides = (index: number) => about(seeded(extras), index);
	const entries =
		(make: (column: string, value: unknown, index: number) => Json) =>
		(cells: Array<[string, unknown]>) =>
			cells.map(([column, value], index) => ({ ...make(column, value, index), ...besides(index) }));
	const boxes = (make: (value: unknown) => Json) => (cells: Array<[string, unknown]>) =>
		Object.fromEntries(
			cells.map(([column, value], index) => [column, { ...make(value), ...besides(index) }]),
		);
	const one = (holding: Json): Json[] => [holding];
	const styles: Array<() => Style> = [
		() => {
			const value = pick(random, ['content', 'valueString', 'text']);
			const fields = boxes((text) => ({
				type: 'string',
				[value]: text,
				spans: [{ offset: 3, length: 9 }],
			}));
			return {
				resultsOf: (cells) =>
					one({
						analyzeResult: { modelId: 'm', documents: [{ docType: 'x', fields: fields(cells) }] },
					}),
				right: { valuesField: 'analyzeResult.documents[0].fields', columnValueField: value },
			};
		},
		() => {
			const list = entries((type, mentionText, index) => ({
				type,
				mentionText,
				id: String(index),
				pageAnchor: { pageRefs: [{ page: 0 }] },
			}));
			return {
				resultsOf: (cells) =>
					one({ entities: list(cells), mimeType: 'application/pdf', revision: { id: 'r1' } }),
				right: {
					valuesField: 'entities',
					columnNameField: 'type',
					columnValueField: 'mentionText',
				},
			};
		},
		() => {
			const list = entries((question, answer) => ({ question, answer }));
			return {
				resultsOf: (cells) => one({ results: list(cells), tokensUsed: 1200 + cells.length }),
				right: { valuesField: 'results', columnNameField: 'question', columnValueField: 'answer' },
			};
		},
		() => {
			const list = entries((label, ocr_text, index) => ({
				id: `p${index}`,
				label,
				ocr_text,
				xmin: 10 * index,
				xmax: 90 + index,
			}));
			return {
				resultsOf: (cells) => one({ prediction: list(cells), page: 0, request_file_id: 'f-1' }),
				right: {
					valuesField: 'prediction',
					columnNameField: 'label',
					columnValueField: 'ocr_text',
				},
			};
		},
		() => {
			const list = entries((name, raw) => ({
				fieldName: name,
				transcription: { raw, normalized: undefined },
				isMissing: raw === undefined,
			}));
			return {
				resultsOf: (cells) => one({ documentFields: list(cells), layoutName: 'L1' }),
				right: {
					valuesField: 'documentFields',
					columnNameField: 'fieldName',
					columnValueField: 'transcription.raw',
				},
			};
		},
		() => {
			const list = entries((FieldName, Value, index) => ({
				FieldId: `F.${index}`,
				FieldName,
				FieldType: 'Text',
				Values: [{ Value, OcrConfidence: 0.5 + index / 30 }],
			}));
			return {
				resultsOf: (cells) => one({ ResultsDocument: { Language: 'eng', Fields: list(cells) } }),
				right: {
					valuesField: 'ResultsDocument.Fields',
					columnNameField: 'FieldName',
					columnValueField: 'Values[0].Value',
				},
			};
		},
		() => {
			const list = entries((text, value) => ({
				Type: { Text: text },
				ValueDetection: { Text: value, Geometry: { top: 1 } },
			}));
			return {
				resultsOf: (cells) => one({ ExpenseDocuments: [{ SummaryFields: list(cells) }] }),
				right: {
					valuesField: 'ExpenseDocuments[0].SummaryFields',
					columnNameField: 'Type.Text',
					columnValueField: 'ValueDetection.Text',
				},
			};
		},
		() => {
			const prediction = boxes((value) => ({ value, polygon: [[0, 1]], page_id: 0 }));
			return {
				resultsOf: (cells) =>
					one({
						inference: { product: { name: 'x', version: '1.1' }, prediction: prediction(cells) },
					}),
				right: { valuesField: 'inference.prediction', columnValueField: 'value' },
			};
		},
		() => {
			const fields = boxes((value) => ({
				tool_value: { value, status: 'complete' },
				manual_value: null,
				property: 'p',
			}));
			return {
				resultsOf: (cells) => one({ entity: { fields: fields(cells), batch: null } }),
				right: { valuesField: 'entity.fields', columnValueField: 'tool_value.value' },
			};
		},
		() => {
			const metadata = boxes(() => ({ reasoning: 'clear', citation: [{ page: 1 }] }));
			return {
				resultsOf: (cells) =>
					one({ data: Object.fromEntries(cells), extraction_metadata: metadata(cells) }),
				right: { valuesField: 'data' },
			};
		},
		() => {
			const metadata = boxes((value) => ({ ocrConfidence: value === undefined ? 0 : 0.9 }));
			return {
				resultsOf: (cells) =>
					one({
						output: { value: Object.fromEntries(cells), metadata: metadata(cells) },
						edited: false,
					}),
				right: { valuesField: 'output.value' },
			};
		},
		() => {
			const parsed = boxes((value) => ({ type: 'string', value, unit: null }));
			return {
				resultsOf: (cells) =>
					one({ configuration: 'invoices', parsed_document: parsed(cells), validations: [] }),
				right: { valuesField: 'parsed_document', columnValueField: 'value' },
			};
		},
		() => {
			const data = boxes((parsed) => ({
				raw: parsed === undefined ? undefined : `${JSON.stringify(parsed)} `,
				parsed,
				isVerified: false,
			}));
			return {
				resultsOf: (cells) => one({ data: data(cells), meta: { identifier: 'i', ready: true } }),
				right: { valuesField: 'data', columnValueField: 'parsed' },
			};
		},
		() => {
			const list = entries((column, extracted, index) => ({
				columnId: `col-${index}`,
				columnName: column,
				extractedValue: extracted,
				dataType: 'string',
			}));
			return {
				resultsOf: (cells) => list(cells),
				right: { columnNameField: 'columnName', columnValueField: 'extractedValue' },
			};
		},
		() => {
			const list = entries((name, value, index) => ({
				attribute: { slug: keyOf(name), displayName: name, order: index },
				payload: { plain: value },
			}));
			return {
				resultsOf: (cells) => list(cells),
				right: { columnNameField: 'attribute.displayName', columnValueField: 'payload.plain' },
			};
		},
		() => ({
			resultsOf: (cells) =>
				one({
					kind: 'extraction',
					attributes: Object.fromEntries(cells),
					links: { self: 'https://api.example.org/x', file: 'https://files.example.org/y?sig=1' },
				}),
			right: { valuesField: 'attributes' },
		}),
	];
	return pick(random, styles)();
}

/** An account with some documents, and what is right for them. */
export interface DrawnAccount {
	documents: DocumentResults[];
	right: ResultFields;
	/** Each document's columns and values, without those that are empty. */
	truths: Array<Array<[column: string, value: unknown]>>;
}

/** @param count how many documents it has */
export function drawAccount(seed: number, count: number): DrawnAccount {
	const random = seeded(seed);
	const { resultsOf, right } = drawStyle(random);
	const columns = pick(random, COLUMNS);
	const isCoded = random() < 0.3;
	const empty = pick(random, [null, undefined, '']);
	const emptyShare = pick(random, [0, 0.2, 0.4]);
	const isExtractedAgain = random() < 0.15;
	const [idName, ownId] = pick(random, [
		['document_id', 'id'],
		['docId', undefined],
		['document_id', undefined],
	]);
	const numbers = [...Array(count).keys()].map((index) => index + 1);
	const documents: DocumentResults[] = [];
	const truths: DrawnAccount['truths'] = [];
	for (const number of numbers) {
		const cells = columns.map((column): [string, unknown] => {
			const isEmpty = number > 1 && random() < emptyShare;
			return [isCoded ? keyOf(column) : column, isEmpty ? empty : valueOf(random, column, number)];
		});
		const documentId = `9f${number * 7919}c-${number}`;
		const about = (part: number) => ({
			...(ownId ? { [ownId]: `e${number}${part}` } : {}),
			[String(idName)]: documentId,
			updatedAt: `2025-0${1 + (number % 9)}-11T08:00:0${part % 10}Z`,
		});
		const once = resultsOf(cells).map((result, part) => ({ ...about(part), ...result }));
		const results = isExtractedAgain ? [...once, ...once] : once;
		// As it comes over the wire: what is undefined is not there.
		documents.push({ documentId, results: JSON.parse(JSON.stringify(results)) as unknown[] });
		truths.push(cells.filter(([, value]) => value !== null && value !== undefined && value !== ''));
	}
	return { documents, right, truths };
}
