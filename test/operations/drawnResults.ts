/**
 * Results as services that extract by model return them, drawn from a seed. The interface leaves their
 * form open (interface.md §2): each account knows what its user would enter, and the row of each document.
 */
import { Randomness } from '../../dev/simulate/randomness';
import type { DocumentResults } from '../../nodes/DocumentExtraction/service/extractions';

type Json = { [name: string]: unknown };
type Cell = [column: string, value: unknown];

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

function valueOf(random: Randomness, column: string, number: number): unknown {
	if (/^(Is|Has) /.test(column)) return random.next() < 0.5;
	if (/Signatures|Skills|Packages/.test(column)) {
		return [1, 2, 3]
			.slice(0, 1 + (number % 3))
			.map((row) => ({ part: `P${number}-${row}`, count: row }));
	}
	if (/total|weight|cap|Balance|Years/i.test(column))
		return random.pick([12.5 * number, `€ ${number},00`]);
	if (/date|birth|Né le|appointment|Term/i.test(column))
		return `${1 + (number % 28)}.0${1 + (number % 9)}.2025`;
	if (column === 'Email') return `person${number}@example.org`;
	if (column === 'Profile link') return `https://people.example.org/${number}`;
	return `${random.pick(['North', 'Blue', 'Old', 'Saint'])} ${column.slice(-3)} ${number}`;
}

/** What is known of a value besides; some of it is named like the value itself. */
function about(random: Randomness, index: number): Json {
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
	return random.pick(extras);
}

interface Style {
	/** Values Field, Column Name Field and Column Value Field, as its users would enter them. */
	fields: [string, string, string];
	/** What lies beside each value. */
	beside?: (index: number, value: unknown) => Json;
	/** What else a result has. */
	around?: Json;
	/** Where a result has something else for each column, under the same names. */
	metadata?: string;
}

const STYLES: Style[] = [
	{
		fields: ['analyzeResult.documents[0].fields', '', 'valueString'],
		beside: () => ({ type: 'string', spans: [{ offset: 3, length: 9 }] }),
		around: { modelId: 'm' },
	},
	{
		fields: ['entities', 'type', 'mentionText'],
		beside: (index) => ({ id: String(index), pageAnchor: { pageRefs: [{ page: 0 }] } }),
		around: { mimeType: 'application/pdf', revision: { id: 'r1' } },
	},
	{ fields: ['results', 'question', 'answer'], around: { tokensUsed: 1204 } },
	{
		fields: ['prediction', 'label', 'ocr_text'],
		beside: (index) => ({ id: `p${index}`, xmin: 10 * index, xmax: 90 + index }),
		around: { page: 0, request_file_id: 'f-1' },
	},
	{
		fields: ['documentFields', 'fieldName', 'transcription.raw'],
		beside: (_, value) => ({ isMissing: value === undefined }),
		around: { layoutName: 'L1' },
	},
	{
		fields: ['ResultsDocument.Fields', 'FieldName', 'Values[0].Value'],
		beside: (index) => ({ FieldId: `F.${index}`, FieldType: 'Text' }),
	},
	{ fields: ['ExpenseDocuments[0].SummaryFields', 'Type.Text', 'ValueDetection.Text'] },
	{
		fields: ['inference.prediction', '', 'value'],
		beside: () => ({ polygon: [[0, 1]], page_id: 0 }),
		around: { product: { name: 'x', version: '1.1' } },
	},
	{
		fields: ['entity.fields', '', 'tool_value.value'],
		beside: () => ({ manual_value: null, property: 'p' }),
		around: { batch: null },
	},
	{ fields: ['data', '', ''], metadata: 'extraction_metadata' },
	{ fields: ['output.value', '', ''], metadata: 'metadata', around: { edited: false } },
	{
		fields: ['parsed_document', '', 'value'],
		beside: () => ({ type: 'string', unit: null }),
		around: { configuration: 'invoices', validations: [] },
	},
	{
		fields: ['data', '', 'parsed'],
		beside: (_, value) => ({ raw: value && `${JSON.stringify(value)} `, isVerified: false }),
		around: { meta: { identifier: 'i', ready: true } },
	},
	{
		fields: ['', 'columnName', 'extractedValue'],
		beside: (index) => ({ columnId: `col-${index}`, dataType: 'string' }),
	},
	{ fields: ['', 'attribute.displayName', 'payload.plain'] },
	{
		fields: ['attributes', '', ''],
		around: { kind: 'extraction', links: { file: 'https://files.example.org/y?sig=1' } },
	},
];

/** A value at a path such as `a.b[0].c`. */
const placed = (path: string, value: unknown): Json =>
	path.split('.').reduceRight<unknown>((inner, step) => {
		const name = step.replace('[0]', '');
		return { [name]: name === step ? inner : [inner] };
	}, value) as Json;

/** The results of one document: a single one, or one per column. What is undefined is not there. */
function resultsIn(
	{ fields, beside, around, metadata }: Style,
	extras: number,
	cells: Cell[],
): Json[] {
	const [valuesField, columnNameField, columnValueField] = fields;
	const boxes = cells.map(([column, value], index) => ({
		...(columnNameField && placed(columnNameField, column)),
		...(columnValueField && placed(columnValueField, value)),
		...beside?.(index, value),
		...about(new Randomness(extras), index),
	}));
	if (!valuesField) return boxes;
	const byColumn = (entries: unknown[]) =>
		Object.fromEntries(cells.map(([column], index) => [column, entries[index]]));
	const values = columnValueField ? boxes : cells.map(([, value]) => value);
	return [
		{
			...around,
			...placed(valuesField, columnNameField ? values : byColumn(values)),
			...(metadata && { [metadata]: byColumn(boxes) }),
		},
	];
}

const keyOf = (column: string) => column.toLowerCase().replace(/[^a-z]+/g, '_');

/** An account with some documents, and what is right for them. */
export interface DrawnAccount {
	documents: DocumentResults[];
	/** What to enter for Rows. */
	right: string;
	/** Each document's columns and values, without those that are empty. */
	truths: Cell[][];
}

/** @param count how many documents it has */
export function drawAccount(seed: number, count: number): DrawnAccount {
	const random = new Randomness(seed);
	const extras = random.between(0, 2 ** 30 - 1);
	const style = random.pick(STYLES);
	const columns = random.pick(COLUMNS);
	const isCoded = random.next() < 0.3;
	const empty = random.pick([null, undefined, '']);
	const emptyShare = random.pick([0, 0.2, 0.4]);
	const isExtractedAgain = random.next() < 0.15;
	const [idName, ownId] = random.pick([['document_id', 'id'], ['docId'], ['document_id']]);
	const documents: DocumentResults[] = [];
	const truths: DrawnAccount['truths'] = [];
	for (let number = 1; number <= count; number++) {
		const cells = columns.map((column): Cell => {
			const isEmpty = number > 1 && random.next() < emptyShare;
			return [isCoded ? keyOf(column) : column, isEmpty ? empty : valueOf(random, column, number)];
		});
		const documentId = `9f${number * 7919}c-${number}`;
		const once = resultsIn(style, extras, cells).map((result, part) => ({
			...(ownId && { [ownId]: `e${number}${part}` }),
			[idName]: documentId,
			updatedAt: `2025-0${1 + (number % 9)}-11T08:00:0${part % 10}Z`,
			...result,
		}));
		const results = isExtractedAgain ? [...once, ...once] : once;
		// As it comes over the wire: what is undefined is not there.
		documents.push({ documentId, results: JSON.parse(JSON.stringify(results)) as unknown[] });
		truths.push(cells.filter(([, value]) => (value ?? '') !== ''));
	}
	const [values, name, value] = style.fields;
	const right = `${values || '.'}${name && `: ${name}`}${value && ` = ${value}`}`;
	return { documents, right, truths };
}
