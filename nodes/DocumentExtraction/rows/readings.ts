/**
 * The ways in which results can be read as rows. Which one is right is not shown (interface.md §2), and
 * nothing here decides it: the likeliest are listed, and the user points at their own row.
 */
import {
	fingerprintOf,
	isObject,
	isOuter,
	levelsOf,
	ownValue,
	wordsIn,
	type JsonObject,
} from '../account/fields';
import {
	EACH,
	meant,
	partAt,
	partsAt,
	pathText,
	rowsText,
	type NamePath,
	type Path,
	type Place,
	type Rows,
} from '../account/rows';
import type { DocumentResults } from '../service/extractions';
import { counted, fewOf, redact, shortened } from '../http/redact';
import type { PartOfWorkflow } from '../service/workflow';
import { holdsTable, isEmpty, isNothing, isTable, rowsReader, type ColumnValue } from './rows';

/** A way to read results: what to enter, and what comes of it. */
export interface Reading {
	rows: Rows;
	/** The values of each document that has results, of the first ten. */
	documents: ColumnValue[][];
}

/** Nobody reads more. */
const MOST_READINGS = 6;
/** Ten documents show what recurs and what varies. */
const MOST_DOCUMENTS = 10;
/** However large results are, readings are tried on the parts nearest to the top: of all, in one place. */
const MOST_PARTS = 10_000;
const MOST_PARTS_OF_PLACE = 2000;
/** The entries of a list are alike. */
const MOST_ENTRIES = 40;
/** Of a text, enough to tell it from others. */
const LONGEST_SAMPLE = 80;
/** Places that are tried, those nearest to the top first. */
const MOST_PLACES = 80;
const DEEPEST_PLACE = 8;
/** Steps from an entry to its name or its value, e.g. `ValueDetection.Text`. */
const DEEPEST_FIELD = 3;
/** Fields that are tried as the name and as the value of an entry, the likeliest first. */
const MOST_NAMES = 3;
const MOST_VALUES = 4;
/** Entries whose fields are looked at: they are alike. */
const MOST_SAMPLES = 200;

/**
 * The ways to read some documents, each with another row, the likeliest first. None is certain.
 * @param documents with their results, as `groupedByDocument` gives them
 * @param columns the workflow's, where they are known
 */
export function readingsOf(
	documents: DocumentResults[],
	columns: PartOfWorkflow[] = [],
): Reading[] {
	const some = documents
		.map(({ results }) => results.filter(isObject))
		.filter((results) => results.length > 0)
		.slice(0, MOST_DOCUMENTS);
	const { samples, holders } = sampleOf(some);
	const nearest = holders.slice(0, MOST_PLACES);
	const raw = columns.map(({ fields }) => fields);
	const tried = (places: Place[]): Tried => {
		const read = samples.map(rowsReader({ places }, samples.flat(), raw).readable);
		return {
			rows: { places },
			documents: read,
			likelihood: likelihoodOf(places[0], read, columns),
		};
	};
	const found = nearest
		.flatMap((holder) => placesIn(holder, columns))
		.map((place) => tried([place]))
		.filter(({ documents: read }) => read.flat().some(({ value }) => !isEmpty(value)))
		.sort(byLikelihood)
		.slice(0, 2 * MOST_READINGS)
		.map((reading) => withTables(reading, nearest, tried));
	const rows = found.map((one) => fingerprintOf(one.documents));
	return found.filter((_, index) => rows.indexOf(rows[index]) === index).slice(0, MOST_READINGS);
}

interface Tried extends Reading {
	likelihood: number;
}

const byLikelihood = (one: Tried, other: Tried) => other.likelihood - one.likelihood;

/** All objects and lists that stand at one place of the results, with `[*]` for the entries of lists. */
interface Holders {
	path: Path;
	parts: object[];
}

/**
 * The parts of documents nearest to the top, and where they stand; a text of JSON is what it stands for.
 * @param documents the results of each
 */
function sampleOf(documents: JsonObject[][]) {
	let left = MOST_PARTS;
	let leftHere = MOST_PARTS_OF_PLACE;
	const cut = (value: unknown): unknown => {
		const held = meant(value);
		if (typeof held === 'string') return held.slice(0, LONGEST_SAMPLE);
		if (!isOuter(held)) return held;
		const some = Object.entries(held).slice(0, Math.min(left, leftHere, MOST_ENTRIES));
		left -= some.length;
		leftHere -= some.length;
		return Array.isArray(held) ? some.map(([, entry]): unknown => entry) : Object.fromEntries(some);
	};
	const samples = documents.map((results) => results.slice(0, MOST_ENTRIES).map(cut));
	const holders: Holders[] = [{ path: [], parts: samples.flat().filter(isOuter) }];
	// The list grows while it is walked through.
	for (const { path, parts } of holders) {
		leftHere = MOST_PARTS_OF_PLACE;
		const inner = new Map<string, Holders>();
		for (const part of parts) {
			const areAlike = isNumbered(part);
			for (const [key, value] of Object.entries(part)) {
				const held = cut(value);
				(part as JsonObject)[key] = held;
				if (!isOuter(held)) continue;
				const step = areAlike ? EACH : key;
				const name = pathText([step]);
				const place = inner.get(name) ?? { path: [...path, step], parts: [] };
				place.parts.push(held);
				inner.set(name, place);
			}
		}
		if (path.length < DEEPEST_PLACE) holders.push(...inner.values());
	}
	return { samples, holders };
}

/** A list, or an object with a number for each entry, e.g. for each page. */
const isNumbered = (outer: object) => Object.keys(outer).every((key) => /^\d+$/.test(key));

const partsOf = (outer: object[]) => outer.flatMap((part) => Object.values(part) as unknown[]);

/** The ways to read a place: columns by name, boxes by name, or named entries. */
function placesIn({ path, parts }: Holders, columns: PartOfWorkflow[]): Place[] {
	const objects = parts.filter(isObject);
	const entries = path.length === 0 ? objects : partsOf(parts).filter(isOuter);
	const some = entries.slice(0, MOST_SAMPLES);
	const boxes = partsOf(objects).filter(isObject).slice(0, MOST_SAMPLES);
	return [
		...(objects.length > 0 ? [{ path, values: [] }] : []),
		...valuePathsIn(boxes).map((values) => ({ path, values })),
		...namesIn(some, columns).flatMap((name) =>
			valuePathsIn(some, name).map((values) => ({ path, name, values })),
		),
	];
}

/** A field of some entries, with what they hold there. */
interface Field {
	path: Path;
	values: unknown[];
}

/** The fields of some entries, with those of objects in them; of a list with one entry, that entry's. */
function fieldsIn(entries: object[]): Field[] {
	const fields = new Map<string, Field>();
	const add = (outer: object, path: Path) => {
		const isPair = Array.isArray(outer) && path.length === 0;
		for (const [key, value] of Object.entries(outer) as Array<[string, unknown]>) {
			const own: Path = [...path, isObject(outer) ? key : isPair ? Number(key) : EACH];
			const name = pathText(own);
			const field = fields.get(name) ?? { path: own, values: [] };
			field.values.push(value);
			fields.set(name, field);
			if (isPair || own.filter((step) => step !== EACH).length >= DEEPEST_FIELD) continue;
			const isOne = Array.isArray(value) && value.length === 1 && !Array.isArray(value[0]);
			if (isObject(value) || isOne) add(value as object, own);
		}
	};
	for (const entry of entries) add(entry, []);
	return [...fields.values()];
}

/** The fields that may hold the names of columns: they have texts. */
function namesIn(entries: object[], columns: PartOfWorkflow[]): NamePath[] {
	return fieldsIn(entries)
		.filter(({ path, values }) => !path.includes(EACH) && values.some(isText))
		.sort((one, other) => fitnessAsName(other) - fitnessAsName(one))
		.slice(0, MOST_NAMES)
		.map(({ path }) => ({ path, ...titleFor(path, entries, columns) }));
}

/** An ID of a name, such as `label_id`, may stand for it, where there is no better name. */
function fitnessAsName({ path }: Field): number {
	const fitness = fitnessOf(path, NAMES);
	return fitness > -2 && fitness < 0 ? 0.25 : fitness;
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';

/** The field of the workflow's columns with their names, where entries name columns by their IDs. */
function titleFor(path: Path, entries: object[], columns: PartOfWorkflow[]) {
	const key = String(path.at(-1));
	const names = new Set(entries.map((entry) => partAt(entry, path)));
	const column = columns.find(({ fields }) => names.has(ownValue(fields, key)));
	const title = column && Object.entries(column.fields).find(([, value]) => value === column.title);
	return title && title[0] !== key ? { columnField: title[0] } : {};
}

/**
 * The fields that may hold a value, in boxes or in entries with this name; each with lists of rows, which
 * count before a text beside them, and with others for the entries that hold nothing there.
 */
function valuePathsIn(entries: object[], name?: NamePath): Path[][] {
	// With those in others' lists, e.g. the cells of a table.
	const levels = name ? levelsOf<unknown>(partsOf(entries), DEEPEST_PLACE) : [];
	const inner = [...levels]
		.flat()
		.filter(isOuter)
		.filter((part) => name && typeof partAt(part, name.path) === 'string');
	const all = [...entries, ...inner.slice(0, MOST_SAMPLES)];
	const fields = fieldsIn(all)
		.filter(({ path }) => !name || pathText(path) !== pathText(name.path))
		.sort((one, other) => fitnessAsValue(other.path) - fitnessAsValue(one.path));
	const lists = listsIn(fields);
	return fields
		.filter(({ values }) => values.some((value) => !isNothing(value) && !isObject(value)))
		.slice(0, MOST_VALUES)
		.map(({ path }) => {
			const isOther = (field: Field) =>
				isFit(field) && !lists.some((list) => startsWith(field.path, list));
			const others = othersFor(path, fields.filter(isOther), all, name === undefined);
			const rows = name ? [] : rowsAsBoxes(fields, [path, ...others]);
			const paths = [...lists, ...rows, path, ...others];
			return [...new Map(paths.map((one) => [pathText(one), one])).values()];
		});
}

/** The fields with the cells of a table's rows, where rows are boxes, and have a text of their own. */
function rowsAsBoxes(fields: Field[], ofText: Path[]): Path[] {
	const rows = fields.flatMap(({ values }) => values.filter(isTable).flat()).filter(isObject);
	const isBox = (part: unknown) =>
		isObject(part) && ofText.some((path) => partAt(part, path) !== undefined);
	return fieldsIn(rows.filter(isBox).slice(0, MOST_SAMPLES))
		.filter(({ values }) =>
			values.some((value) => isObject(value) && partsOf([value]).every(isBox)),
		)
		.map(({ path }) => path);
}

/**
 * Fields for entries that hold nothing at a path. A box without it shares a field with one that has it, or
 * has nothing else to tell.
 */
function othersFor(first: Path, others: Field[], entries: object[], areBoxes: boolean): Path[] {
	const lacks = (path: Path) => (entry: object) => {
		const value = partAt(entry, path);
		return isNothing(value) || isObject(value);
	};
	const lacksFirst = lacks(first);
	let rest = entries.filter(lacksFirst);
	if (areBoxes) {
		const keys = new Set(
			entries.filter((one) => !lacksFirst(one)).flatMap((one) => Object.keys(one)),
		);
		const isAlone = (entry: object) => {
			const parts: unknown[] = Object.values(entry);
			return parts.length === 1 && !isOuter(parts[0]);
		};
		rest = rest.filter(
			(entry) => isAlone(entry) || Object.keys(entry).some((key) => keys.has(key)),
		);
	}
	return others
		.map(({ path }) => path)
		.filter((path) => {
			// A list whose entries have such a field, though it is empty, is no other value.
			const isAround = startsWith(first, [...path, EACH]);
			const open = isAround ? rest.filter((one) => partsAt(one, first).length === 0) : rest;
			return !open.every(lacks(path));
		});
}

/** Those of some fields with lists of rows. */
const listsIn = (fields: Field[]) =>
	fields
		.filter(({ path, values }) => {
			const tables = values.filter(isTable);
			const areBoxes =
				2 * tables.filter(({ length }) => length === 1).length > tables.length &&
				fields.some(
					(field) =>
						startsWith(field.path, [...path, EACH]) &&
						fitnessOf(field.path.slice(-1), VALUES) > 0.3,
				);
			return tables.length > 0 && !areBoxes && fitnessOf(path, CHILDREN) > 0;
		})
		.map(({ path }) => path);

/** Whether a field is named as a value, and so is the way to it. */
const isFit = ({ path }: Field) =>
	[path, path.slice(-1)].every((way) => Math.max(fitnessAsValue(way), fitnessOf(way, TYPED)) > 0.3);

const startsWith = (path: Path, start: Path) =>
	path.length >= start.length && pathText(path.slice(0, start.length)) === pathText(start);

/** Whether a value is a table; its rows may be lists of named entries. */
const holdsRows = (value: unknown) =>
	isTable(value) || (Array.isArray(value) && value.some(isTable));

/** A reading, with the tables that stand elsewhere; of lists in lists, the outer one. */
function withTables(reading: Tried, holders: Holders[], tried: (places: Place[]) => Tried): Tried {
	const [main] = reading.rows.places;
	if (main.path.length === 0) return reading;
	const tablesIn = ({ documents }: Reading) =>
		documents.flat().filter(({ value }) => isTable(value));
	const names = new Set(tablesIn(reading).map(({ column }) => column));
	const lists = holders.filter(({ path, parts }) => {
		const own = path.slice(path.findIndex((step, index) => step !== main.path[index]));
		return (
			parts.some(holdsRows) &&
			isOfRows(own) &&
			!names.has(String(path.at(-1))) &&
			!startsWith(main.path, path) &&
			!startsWith(path, main.path)
		);
	});
	const tables = lists
		.filter(({ path }) => !lists.some((one) => one.path !== path && startsWith(path, one.path)))
		.flatMap(({ path: outer }) => {
			const inside = lists
				.filter(({ path }) => startsWith(path, outer))
				.map(({ path, parts }): TablePlace => {
					const entries = partsOf(parts).filter(isOuter);
					return { path, entries, fields: fieldsIn(entries) };
				});
			const around = inside.filter(isAroundTables).map(({ path }) => path);
			// What is in rows is theirs.
			const open = inside.filter(({ path }) =>
				inside.every(
					(one) => one.path === path || !startsWith(path, one.path) || around.includes(one.path),
				),
			);
			const readable = waysToReadTables(open, around, main)
				.map((place) => ({ place, found: tablesIn(tried([place])) }))
				.filter(({ found }) => found.length > 0);
			const isFlat = ({ value }: ColumnValue) =>
				(value as unknown[]).every((row) => isObject(row) && !holdsTable(row));
			const best = readable.find(({ found }) => found.every(isFlat)) ?? readable.at(0);
			return best?.place ?? [];
		});
	return tried([main, ...tables]);
}

/** A place with tables, and the fields of its entries. */
interface TablePlace {
	path: Path;
	entries: object[];
	fields: Field[];
}

/** Whether the entries of a list hold tables, and say nothing but their names, and where they stand. */
function isAroundTables({ fields: all }: TablePlace): boolean {
	const fields = all.filter(({ path }) => path.length === 1);
	const ofTables = fields.filter(({ values }) => values.some(holdsRows));
	const isAside = ({ path, values }: Field) =>
		!values.some(isOuter) && (fitnessOf(path, NAMES) > 0 || fitnessOf(path, VALUES) < 0);
	return ofTables.length > 0 && fields.every((one) => ofTables.includes(one) || isAside(one));
}

/**
 * The ways to read the tables in some places: as the values of a reading, by their names, or as they are.
 * @param around the places with tables that may have names
 */
function waysToReadTables(some: TablePlace[], around: Path[], main: Place): Place[] {
	const asMain = some.map(({ path, fields }) => {
		return { ...main, path, values: [...main.values, ...listsIn(fields)] };
	});
	const byName = some.flatMap(({ path, entries, fields }) => {
		const tables = fields.filter((one) => one.values.some(holdsRows) && isOfRows(one.path));
		const values = [...tables.map((one) => one.path), ...main.values];
		const names = around.includes(path) && tables.length > 0 ? namesIn(entries, []) : [];
		return names
			.filter((name) => fitnessOf(name.path, NAMES) > 0)
			.map((name) => ({ path, name, values }));
	});
	const plain = some.map(({ path }) => ({ path, values: [] }));
	return main.name ? [...asMain, ...byName, ...plain] : [...byName, ...asMain, ...plain];
}

const isOfRows = (path: Path) => fitnessOf(path, CHILDREN) >= 0;

const oneOf = (...words: string[]) => new RegExp(`^(?:${words.join(' ').replaceAll(' ', '|')})$`);
/** What fields are called that contain names of columns, values or places of values, and lists. */
const NAMES = oneOf(
	'names? labels? titles? columns? fields? keys? questions? query alias headings? captions? schema types?',
);
const VALUES = oneOf(
	'values? amounts? answers? texts? contents? results? data responses? extract extracted extractions?',
	'normalized parsed transcriptions? mention fields? columns? cells? entities predictions? outputs?',
	'attributes? children items?',
);
/** What fields are called that hold the values of one type, beside others for other types. */
const TYPED = oneOf('strings? numbers? dates?');
const CHILDREN = oneOf(
	'rows? cells? children properties items entries lines? lists? arrays? tables? fields?',
);
/** What fields are called that say something about a value, its column, its document or its page. */
const ABOUT = oneOf(
	'meta metadata usage stats? cost reviews? users? links? urls? mime ids? uuid status created',
	'updated at confidences? scores? probability sources? pages? box boxes bbox polygon geometry',
	'units? prompts? reasoning explanations? citations? validations? anchor bounding regions?',
	'spans? types? kinds? formats? blocks? words? tokens? paragraphs? styles? errors? warnings?',
	'messages? files? evidence',
);
const wordsOn = (path: Path) =>
	path.flatMap((step) => (typeof step === 'string' ? wordsIn(step).filter(Boolean) : []));

/** How well a way is named: 1 where all its words fit, and 2 less where one says something about values. */
function fitnessOf(path: Path, words: RegExp): number {
	const own = wordsOn(path);
	const fits = own.filter((word) => words.test(word)).length / Math.max(1, own.length);
	const isAbout = own.some((word) => ABOUT.test(word) && !words.test(word));
	return fits - (isAbout ? 2 : 0);
}

/** What holds another name, such as the text of a label, is no value. */
function fitnessAsValue(path: Path): number {
	const isName = wordsOn(path).some((word) => NAMES.test(word) && !VALUES.test(word));
	return fitnessOf(path, VALUES) - (isName ? 1 : 0);
}

/** How likely a reading is; it only orders readings. Each fact goes from 0 to 1, times what it weighs. */
function likelihoodOf(place: Place, documents: ColumnValue[][], known: PartOfWorkflow[]): number {
	const filled = documents.filter((row) => row.length > 0);
	const cells = filled.flat();
	const columns = new Set(cells.map(({ column }) => column));
	const ofDocuments = filled.flatMap((row) => [...new Set(row.map(({ column }) => column))]);
	const dotted = [...columns].filter((column) => column.includes('.'));
	const values = cells.map(({ value }) => value).filter((value) => !isEmpty(value));
	const different = new Set(values.map((value) => (isOuter(value) ? fingerprintOf(value) : value)));
	return (
		4 * (columnsAmong(documents, known).size / Math.max(1, known.length)) +
		// A workflow's columns are those of all its documents.
		2 * (ofDocuments.length / (columns.size * filled.length)) +
		// A document has two values for one column if it was extracted again, or is read wrongly.
		2 * (ofDocuments.length / cells.length) +
		// What is the same everywhere describes the document or the service.
		different.size / Math.max(1, values.length) +
		// Most workflows have several columns; beyond a few, their number tells little.
		2.5 * Math.min(1, Math.log2(1 + columns.size) / 4) -
		// Where columns have dots, their place is further in, or boxes were not opened.
		dotted.length / columns.size -
		// What is called as places are is one, rather than the only column.
		(columns.size === 1 && fitnessOf([...columns], VALUES) === 1 ? 1 : 0) +
		namingOf(place)
	);
}

/** How well the place is named, and where its entries or boxes hold names and values. */
function namingOf({ path, name, values: [value] }: Place): number {
	const fields = path.filter((step) => typeof step === 'string');
	// At the top are the service's own fields, unless a result is of one column.
	const isOfColumn = name && (name.path.length === 1 || fitnessOf(name.path, NAMES) === 1);
	const top = path.length === 0 && !isOfColumn ? 0.6 : 0;
	const place = fitnessOf(fields.slice(-1), VALUES) - 0.1 * path.length - top;
	const ofValue = value ? fitnessAsValue(value) : 0;
	if (name) return place + 0.5 * (fitnessOf(name.path, NAMES) + ofValue);
	return place + (value ? ofValue + 0.3 : 0.5);
}

/** The same Rows with the field beside each value that may be its confidence; undefined where there is none. */
export function rowsWithConfidence({ places }: Rows, results: unknown[]): Rows | undefined {
	const rated = places.map((place): Place => {
		const { path, name, values: ways } = place;
		const holders = results.flatMap((result) => partsAt(result, path)).map(meant);
		const boxes = [...holders, ...partsOf(holders.filter(isOuter))]
			.filter(isOuter)
			.filter((box) => ways.some((way) => way.length > 0 && !isNothing(partAt(box, way))));
		const isOfValue = ({ path: own }: Field) =>
			ways.some((way) => way.length > 1 && startsWith(own, way.slice(0, -1))) &&
			/confidence|score|probability/i.test(String(own.at(-1)));
		const isOther = ({ path: own }: Field) =>
			!ways.some((way) => startsWith(own, way.slice(0, 1))) &&
			own[0] !== name?.path[0] &&
			!own.includes(EACH);
		const all = fieldsIn(boxes).filter(
			({ path: own, values }) =>
				!ways.some((way) => startsWith(own, way)) &&
				values.length === boxes.length &&
				areConfidences(values),
		);
		const beside = all.find(isOfValue) ?? all.find(isOther);
		return beside ? { ...place, confidence: beside.path } : place;
	});
	return rated.some(({ confidence }) => confidence) ? { places: rated } : undefined;
}

/** Whether these may be confidences: shares, or percentages that are no numbers of pages. */
const areConfidences = (values: unknown[]) =>
	values.every((value) => typeof value === 'number' && value >= 0 && value <= 100) &&
	values.some((value) => !Number.isInteger(value) || Number(value) > 10);

/** The workflow's columns that some rows have, by their names or their IDs. */
export function columnsAmong(
	rows: ColumnValue[][],
	columns: PartOfWorkflow[],
): Set<PartOfWorkflow> {
	const names = new Set(rows.flat().map(({ column }) => column));
	return new Set(columns.filter(({ id, title }) => names.has(id) || names.has(title ?? id)));
}

const LONGEST_CELL = 40;
const MOST_CELLS = 6;

/** How many ways to read results a message shows. */
const MOST_SHOWN = 3;

/** The likeliest ways to read some documents, one per line; empty where there is none. */
export function choicesIn(documents: DocumentResults[], columns: PartOfWorkflow[] = []): string {
	return readingsOf(documents, columns)
		.slice(0, MOST_SHOWN)
		.map(
			({ rows, documents: read }) => `Rows: ${redact(rowsText(rows))} → ${rowText(read, columns)}`,
		)
		.join('\n');
}

/** The row with the most values, for its user to recognize, and how many of the workflow's columns it has. */
export function rowText(rows: ColumnValue[][], columns: PartOfWorkflow[]): string {
	const valuesOf = (row: ColumnValue[]) => row.filter(({ value }) => !isEmpty(value)).length;
	const row = rows.reduce((most, one) => (valuesOf(one) > valuesOf(most) ? one : most), []);
	const cells = row.map(({ column, value }) => `${redact(column)}: ${cellText(value)}`);
	const text = fewOf(cells, MOST_CELLS, ' · ', ' · and');
	if (columns.length === 0) return text;
	const own = columnsAmong(rows, columns).size;
	return `${text} (${own} of your workflow's ${counted(columns.length, 'column')})`;
}

/** A value in a few words. */
export function cellText(value: unknown): string {
	if (Array.isArray(value)) return `a table with ${counted(value.length, 'row')}`;
	const text = isObject(value) ? `{${Object.keys(value).join(', ')}}` : String(value ?? '');
	return shortened(redact(text), LONGEST_CELL);
}
