/** Results as public extraction services publish them, with invented values. */

/** What each document says: its number, date, supplier and total, and its line items. */
export interface Invoice {
	number: string;
	date: string;
	supplier: string;
	total: number;
	lines: Array<[what: string, quantity: number, amount: number]>;
}

export const INVOICES: Invoice[] = [
	{
		number: 'A-1',
		date: '2026-01-05',
		supplier: 'Acme',
		total: 120.5,
		lines: [
			['Paper', 2, 20.5],
			['Ink', 1, 100],
		],
	},
	{ number: 'B-2', date: '2026-02-06', supplier: 'Blue', total: 99, lines: [['Pens', 9, 99]] },
];

interface Form {
	/** What Rows says, which is also the first choice. */
	rows: string;
	/** The result of a document. */
	result: (invoice: Invoice) => object;
	/** The names of the columns with the number, date, supplier and total. */
	columns: [string, string, string, string];
	/** The table with the line items, and its cells. */
	table: [column: string, what: string, quantity: string, amount: string];
}

const named = ({ number, date, supplier, total }: Invoice) =>
	Object.entries({ number, date, supplier, total: String(total) });
const boxed = (value: unknown) => ({ value, confidence: 'High', locations: [] });
const COLUMNS: Form['columns'] = ['number', 'date', 'supplier', 'total'];
const TABLE: Form['table'] = ['lines', 'what', 'quantity', 'amount'];
const asText = { isText: true };

export const FORMS: Record<string, Form & { isText?: boolean }> = {
	'a text beside the cells of a row that are boxes': {
		rows: 'documents[*].fields = valueArray | valueObject | content',
		result: ({ number, date, supplier, total, lines }) => {
			const box = (value: string | number) => ({ content: String(value), confidence: 0.9 });
			const valueArray = lines.map(([what, quantity, amount]) => ({
				type: 'object',
				valueObject: { what: box(what), quantity: box(quantity), amount: box(amount) },
				content: `${what} ${quantity} ${amount}`,
				confidence: 0.9,
			}));
			const values = { number: box(number), date: box(date), supplier: box(supplier) };
			const fields = { ...values, total: box(total), lines: { type: 'array', valueArray } };
			return { documents: [{ docType: 'invoice', fields }] };
		},
		columns: COLUMNS,
		table: TABLE,
		...asText,
	},
	'rows that are lists of named entries, elsewhere': {
		rows: 'extraction.headerFields: name = value + extraction.lines: name = value',
		result: (invoice) => {
			const entry = ([name, value]: [string, string]) => ({
				name,
				value,
				confidence: 0.9,
			});
			const lines = invoice.lines.map(([what, quantity, amount]) =>
				Object.entries({ what, quantity: String(quantity), amount: String(amount) }).map(entry),
			);
			return { extraction: { headerFields: named(invoice).map(entry), lines } };
		},
		columns: COLUMNS,
		table: TABLE,
		...asText,
	},
	'confidences in a table of the same name': {
		rows: 'entities',
		result: ({ lines, ...values }) => ({
			entities: {
				...values,
				lines: lines.map(([what, quantity, amount]) => ({ what, quantity, amount })),
			},
			probabilities: {
				number: 0.9,
				date: 0.8,
				lines: lines.map(() => ({ what: 0.9, quantity: 0.7, amount: 0.6 })),
			},
		}),
		columns: COLUMNS,
		table: TABLE,
	},
	'typed values, in sections of documents': {
		rows: 'analyzeResult.documents[*].fields = valueArray | valueString | valueNumber | valueObject',
		result: ({ number, date, supplier, total, lines }) => {
			const text = (valueString: string) => ({ type: 'string', valueString, confidence: 0.9 });
			const count = (valueNumber: number) => ({ type: 'number', valueNumber, confidence: 0.8 });
			const valueArray = lines.map(([what, quantity, amount]) => ({
				type: 'object',
				valueObject: { what: text(what), quantity: count(quantity), amount: count(amount) },
			}));
			const values = { number: text(number), date: text(date), supplier: text(supplier) };
			const fields = { ...values, total: count(total), lines: { type: 'array', valueArray } };
			return { analyzeResult: { modelId: 'm', documents: [{ docType: 'invoice', fields }] } };
		},
		columns: COLUMNS,
		table: TABLE,
	},
	'entities, with those of a line as properties': {
		rows: 'document.entities: type = properties | mentionText',
		result: (invoice) => {
			const entity = ([type, mentionText]: [string, unknown], id: number) => ({
				type,
				mentionText: String(mentionText),
				confidence: 0.9,
				id: String(id),
				pageAnchor: { pageRefs: [{}] },
			});
			const lines = invoice.lines.map(([what, quantity, amount], line) => ({
				...entity(['lines', `${what} ${quantity} ${amount}`], 10 + line),
				properties: Object.entries({ what, quantity, amount }).map(entity),
			}));
			return { document: { text: '…', entities: [...named(invoice).map(entity), ...lines] } };
		},
		columns: COLUMNS,
		table: TABLE,
		...asText,
	},
	'sections with lists of lists': {
		rows: 'content[*].children: schema_id = children | content.value',
		result: (invoice) => {
			const point = ([schema_id, value]: [string, unknown], id: number) => ({
				id,
				url: `https://api.example/${id}`,
				category: 'datapoint',
				schema_id,
				content: { value: String(value), normalized_value: String(value), page: 1 },
			});
			const children = invoice.lines.map(([what, quantity, amount]) => ({
				category: 'tuple',
				schema_id: 'line',
				children: Object.entries({ what, quantity, amount }).map(point),
			}));
			const lines = { category: 'multivalue', schema_id: 'lines', children };
			return {
				content: [
					{ category: 'section', schema_id: 'basic', children: named(invoice).map(point) },
					{ category: 'section', schema_id: 'table', children: [lines] },
				],
			};
		},
		columns: COLUMNS,
		table: TABLE,
		...asText,
	},
	'boxes, with the rows in an object': {
		rows: 'inference.result.fields = value',
		result: ({ lines, ...invoice }) => {
			const boxes = Object.entries(invoice).map(([name, value]) => [name, boxed(value)]);
			const items = lines.map(([what, quantity, amount]) => ({
				fields: { what: boxed(what), quantity: boxed(quantity), amount: boxed(amount) },
			}));
			const fields = { ...(Object.fromEntries(boxes) as object), lines: { items } };
			return { inference: { model: { id: 'm' }, result: { fields } } };
		},
		columns: COLUMNS,
		table: ['lines', 'fields.what', 'fields.quantity', 'fields.amount'],
	},
	'columns in text, beside the service’s own fields': {
		rows: 'result',
		result: ({ lines, ...invoice }) => {
			const rows = lines.map(([what, quantity, amount]) => ({ what, quantity, amount }));
			return { name: 'a.pdf', status: 'OK', result: JSON.stringify({ ...invoice, lines: rows }) };
		},
		columns: COLUMNS,
		table: TABLE,
	},
	'values in lists of one, with groups of lines': {
		rows: 'answers: question = answers[*].answer + groups',
		result: (invoice) => ({
			answers: named(invoice).map(([question, answer]) => ({
				question,
				answers: [{ answer, confidence: 0.9 }],
			})),
			groups: [
				{
					index: 0,
					lines: invoice.lines.map(([what, quantity, amount]) => ({ what, quantity, amount })),
				},
			],
		}),
		columns: COLUMNS,
		table: ['groups', 'what', 'quantity', 'amount'],
		...asText,
	},
	'a list of boxes for each value, and one of lists of entries for the lines': {
		rows: 'data.Fields: Name = List[*].Fields | List[*].Value',
		result: (invoice) => {
			const field = ([Name, Value]: [string, unknown]) => ({
				Name,
				List: [{ Value: String(Value), IsVerified: false, ConfidenceLevel: 0.9 }],
			});
			const List = invoice.lines.map(([what, quantity, amount]) => ({
				Fields: Object.entries({ what, quantity, amount }).map(field),
			}));
			return { data: { Fields: [...named(invoice).map(field), { Name: 'lines', List }] } };
		},
		columns: COLUMNS,
		table: TABLE,
		...asText,
	},
	'a table as its columns, beside boxes': {
		rows: 'parsed_document = value',
		result: ({ lines, ...invoice }) => {
			const box = (value: unknown) => ({ type: 'string', value: String(value) });
			const boxes = Object.entries(invoice).map(([name, value]) => [name, box(value)]);
			const column = (id: string, index: number) => ({
				id,
				values: lines.map((line) => box(line[index])),
			});
			const columns = ['what', 'quantity', 'amount'].map(column);
			const table = { columns, title: box('Items'), footer: box('') };
			const values = Object.fromEntries(boxes) as object;
			return { status: 'COMPLETE', parsed_document: { ...values, lines: table } };
		},
		columns: COLUMNS,
		table: ['lines.columns', 'what', 'quantity', 'amount'],
		...asText,
	},
	'a text of fenced JSON': {
		rows: 'output',
		result: ({ lines, ...invoice }) => {
			const rows = lines.map(([what, quantity, amount]) => ({ what, quantity, amount }));
			const json = JSON.stringify({ ...invoice, lines: rows }, null, 2);
			return { model: 'm', output: `\`\`\`json\n${json}\n\`\`\`` };
		},
		columns: COLUMNS,
		table: TABLE,
	},
	'typed values without anything beside them': {
		rows: 'fields = listValue | stringValue | numberValue',
		result: ({ lines, total, ...invoice }) => {
			const boxes = Object.entries(invoice).map(([name, value]) => [name, { stringValue: value }]);
			const listValue = lines.map(([what, quantity, amount]) => ({ what, quantity, amount }));
			const typed = { total: { numberValue: total }, lines: { listValue } };
			return { fields: { ...(Object.fromEntries(boxes) as object), ...typed } };
		},
		columns: COLUMNS,
		table: TABLE,
	},
	'tables elsewhere, by their names': {
		rows: 'answers = answer + tables: name = data',
		result: ({ lines, ...invoice }) => {
			const box = (answer: unknown) => ({
				answer,
				reasoning: 'It says so.',
				sources: [{ page: 1 }],
			});
			const boxes = Object.entries(invoice).map(([name, value]) => [name, box(value)]);
			const data = lines.map(([what, quantity, amount]) => ({ what, quantity, amount }));
			return { answers: Object.fromEntries(boxes) as object, tables: [{ name: 'lines', data }] };
		},
		columns: COLUMNS,
		table: TABLE,
	},
	'tables elsewhere, by their pages': {
		rows: 'pages[*].fields: field = value + tables[*].rows',
		result: ({ lines, ...invoice }) => {
			const fields = Object.entries(invoice).map(([field, value]) => ({ field, value }));
			const rows = lines.map(([what, quantity, amount]) => ({ what, quantity, amount }));
			return { pages: [{ number: 1, fields }], tables: [{ page: 7, rows }] };
		},
		columns: COLUMNS,
		table: ['rows', 'what', 'quantity', 'amount'],
	},
	'cells of a table that hold their text elsewhere than entries do': {
		rows: 'prediction: label = cells | ocr_text | text',
		result: (invoice) => {
			const entry = ([label, ocr_text]: [string, string], id: number) => ({
				...{ id: `p${id}`, label, type: 'field', score: 0.9, ocr_text },
			});
			const cells = invoice.lines.flatMap(([what, quantity, amount], row) =>
				Object.entries({ what, quantity, amount }).map(([label, text], col) => ({
					...{ id: `c${row}${col}`, row, col, label, text: String(text), score: 0.8 },
					...{ row_span: 1, col_span: 1, row_label: '', verification_status: 'none' },
				})),
			);
			const table = { id: 't1', label: 'lines', type: 'table', score: 0.9, cells };
			return { message: 'Success', prediction: [...named(invoice).map(entry), table] };
		},
		columns: COLUMNS,
		table: TABLE,
		...asText,
	},
};
