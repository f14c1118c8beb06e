/**
 * The ways in which results can be read as rows. Which one is right is not shown (interface.md §2), and
 * nothing here decides it: the likeliest are listed, and the user points at their own row.
 */
import {
	fingerprintOf,
	isObject,
	type JsonObject,
	levelsOf,
	ownValue,
	wordsIn,
} from '../account/fields';
import {
	EACH,
	meant,
	partAt,
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
import { isEmpty, isNothing, isTable, rowsReader, type ColumnValue } from './rows';

/** A way to read results: what to enter, and what comes of it. */
export interface Reading {
	rows: Rows;
	/** The values of each document that has results, of the first ten. */
	documents: ColumnValue[][];
	/** How many of the workflow's columns are among them; undefined where those are not known. */
	ownColumns: number | undefined;
}

/** Nobody reads more. */
const MOST_READINGS = 6;
/** Ten documents show what recurs and what varies. */
const MOST_DOCUMENTS = 10;
/** Of a document, the parts nearest to the top: however large results are, readings are tried on these. */
const MOST_PARTS = 2000;
/** The entries of a list are alike. */
const MOST_ENTRIES = 40;
/** Of a text, enough to tell it from others. */
const LONGEST_SAMPLE = 80;
/** Places that are looked at, those nearest to the top first. */
const MOST_CONTAINERS = 80;
const DEEPEST_CONTAINER = 8;
/** Of the boxes that hold something, enough to know their fields. */
const MOST_BOXES = 40;
/** Steps from an entry to its name or its value, e.g. `ValueDetection.Text`. */
const DEEPEST_FIELD = 3;
/** Fields that are tried as the name and as the value of an entry, the likeliest first. */
const MOST_NAMES = 3;
const MOST_VALUES = 4;
const MOST_ALTERNATIVES = 6;
/** Entries that are looked at: they are alike. */
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
	const samples = some.map(sampleOf);
	const containers = containersIn(samples);
	const raw = columns.map(({ fields }) => fields);
	const tried = (rows: Rows): Tried[] => {
		const reader = rowsReader(rows, samples.flat(), raw);
		const read = samples.map(reader.readable);
		if (read.flat().every(({ value }) => isEmpty(value))) return [];
		return [{ rows, documents: read, likelihood: likelihoodOf(rows, read, columns) }];
	};
	const found = containers
		.flatMap((container) => placesIn(container, columns))
		.flatMap((place) => tried({ places: [place] }))
		.sort(byLikelihood)
		.slice(0, 2 * MOST_READINGS)
		.map((reading) => withTables(reading, containers, tried))
		.sort(byLikelihood);
	const rows = new Map(found.reverse().map((one) => [fingerprintOf(one.documents), one]));
	return [...rows.values()]
		.sort(byLikelihood)
		.slice(0, MOST_READINGS)
		.map(({ rows: read, documents: values }) => ({
			rows: read,
			documents: values,
			ownColumns: columns.length > 0 ? columnsAmong(values, columns).size : undefined,
		}));
}

interface Tried {
	rows: Rows;
	documents: ColumnValue[][];
	likelihood: number;
}

const byLikelihood = (one: Tried, other: Tried) => other.likelihood - one.likelihood;

/** The parts of a document that are nearest to the top; a text of JSON is what it stands for. */
function sampleOf(document: unknown[]): unknown[] {
	const sample: unknown[] = [];
	let level: Array<[from: object, into: object]> = [[document, sample]];
	let left = MOST_PARTS;
	while (level.length > 0) {
		const next: typeof level = [];
		for (const [from, into] of level) {
			for (const key of Object.keys(from).slice(0, MOST_ENTRIES)) {
				if (left-- <= 0) return sample;
				const held: unknown = meant((from as JsonObject)[key]);
				const isOuter = held !== null && typeof held === 'object';
				// Without a prototype, so that a field named __proto__ is one.
				const inner: object = Array.isArray(held) ? [] : (Object.create(null) as object);
				if (isOuter) next.push([held, inner]);
				const plain = typeof held === 'string' ? held.slice(0, LONGEST_SAMPLE) : held;
				(into as JsonObject)[key] = isOuter ? inner : plain;
			}
		}
		level = next;
	}
	return sample;
}

/** All objects and lists that stand at one place of the results. */
interface Container {
	path: Path;
	parts: object[];
	/** How many lists of entries these are: those of documents, where each entry is a result. */
	lists: number;
}

/** What holds something in some results, level by level, with `[*]` for the entries of lists. */
function containersIn(documents: unknown[][]): Container[] {
	const results = documents.flat().filter(isObject);
	const all: Container[] = [{ path: [], parts: results, lists: documents.length }];
	// The list grows while it is walked through.
	for (const { path, parts } of all) {
		if (path.length >= DEEPEST_CONTAINER) continue;
		const inner = new Map<string, Container>();
		for (const part of parts) {
			for (const [key, held] of Object.entries(part)) {
				if (held === null || typeof held !== 'object') continue;
				const step = Array.isArray(part) ? EACH : key;
				const name = pathText([step]);
				const container = inner.get(name) ?? { path: [...path, step], parts: [], lists: 0 };
				container.parts.push(held as object);
				container.lists++;
				inner.set(name, container);
			}
		}
		all.push(...[...inner.values()].slice(0, Math.max(0, MOST_CONTAINERS - all.length)));
	}
	return all;
}

/** The ways to read a container: columns by name, boxes by name, or named entries. */
function placesIn({ path, parts, lists }: Container, columns: PartOfWorkflow[]): Place[] {
	const objects = parts.filter(isObject);
	const held = partsOf(parts).filter(isOuter);
	const entries = (path.length === 0 ? objects : held).slice(0, MOST_SAMPLES);
	return [
		...(objects.length > 0 ? [{ path, values: [] }] : []),
		...boxesIn(objects).map((values) => ({ path, values })),
		...namesIn(entries, lists, columns).flatMap((name) =>
			valuesIn(entries, name).map((values) => ({ path, name, values })),
		),
	];
}

const partsOf = (outer: object[]) => outer.flatMap((part) => Object.values(part) as unknown[]);

const samplesOf = (outer: object[]) =>
	partsOf(outer)
		.filter((part) => !isNothing(part))
		.slice(0, MOST_SAMPLES);

/** The alternatives in boxes by name, or in boxes by name in sections. */
function boxesIn(objects: object[]): Path[][] {
	const held = samplesOf(objects);
	const boxes = held.filter(isObject);
	const sections = samplesOf(boxes);
	const inSections = sections.filter(isObject);
	// Most values are in boxes, or none.
	if (2 * boxes.length < held.length) return [];
	const isOfMost = (paths: Path[]) =>
		2 * boxes.filter((box) => paths.some((path) => has(box, path))).length >= boxes.length;
	const own = valuesIn(boxes).filter(isOfMost);
	return own.length > 0 || 2 * inSections.length < sections.length ? own : valuesIn(inSections);
}

const isOuter = (value: unknown): value is object => value !== null && typeof value === 'object';

/** A field of some entries, with what they hold there. */
interface Field {
	path: Path;
	values: unknown[];
}

/** The fields of some entries, with those of objects in them. */
function fieldsIn(entries: object[]): Field[] {
	const fields = new Map<string, Field>();
	const add = (outer: object, path: Path) => {
		for (const [key, value] of Object.entries(outer) as Array<[string, unknown]>) {
			const own = [...path, Array.isArray(outer) ? Number(key) : key];
			const name = pathText(own);
			const field = fields.get(name) ?? { path: own, values: [] };
			field.values.push(value);
			fields.set(name, field);
			if (!isObject(outer) || own.length >= DEEPEST_FIELD) continue;
			if (isObject(value)) add(value, own);
			// A list of one box.
			if (isTable(value) && value.length === 1) add(value[0] as object, [...own, EACH]);
		}
	};
	for (const entry of entries.slice(0, MOST_SAMPLES)) add(entry, []);
	return [...fields.values()];
}

/** The fields that may hold the names of columns: texts that most entries have. */
function namesIn(entries: object[], lists: number, columns: PartOfWorkflow[]): NamePath[] {
	const perList = entries.length / Math.max(1, lists);
	return fieldsIn(entries)
		.flatMap(({ path, values }) => {
			const texts = values.filter((value) => typeof value === 'string' && value.trim() !== '');
			if (path.includes(EACH) || 2 * texts.length <= entries.length) return [];
			// As many as a list has entries: fewer are kinds of entries, more are values.
			const share = new Set(texts).size / perList;
			const fitness = fitnessOf(path, NAMES) + 2 * Math.min(share, 1 / share);
			return [{ path, fitness }];
		})
		.sort((one, other) => other.fitness - one.fitness)
		.slice(0, MOST_NAMES)
		.map(({ path }) => ({ path, ...titleFor(path, entries, columns) }));
}

/** The field of the workflow's columns with their names, where entries name columns by their IDs. */
function titleFor(path: Path, entries: object[], columns: PartOfWorkflow[]) {
	const key = String(path.at(-1));
	const names = new Set(entries.map((entry) => partAt(entry, path)));
	const column = columns.find(({ fields }) => isOuter(fields) && names.has(ownValue(fields, key)));
	const title = column && Object.entries(column.fields).find(([, value]) => value === column.title);
	return title && title[0] !== key ? { columnField: title[0] } : {};
}

/** The alternatives that may hold a value, in boxes or in entries with this name. */
function valuesIn(entries: object[], name?: NamePath): Path[][] {
	const nameText = name && pathText(name.path);
	const possible = fieldsIn(entries)
		.filter(
			({ path, values }) =>
				pathText(path) !== nameText &&
				values.some((value) => !isNothing(value) && !isObject(value)),
		)
		.map((field) => ({ ...field, fitness: valueFitness(field, entries.length) }))
		.sort((one, other) => other.fitness - one.fitness);
	const all = name ? [...entries, ...entriesBelow(entries, name)] : entries;
	return possible.slice(0, MOST_VALUES).flatMap(({ path }) => {
		const others = withAlternatives(path, possible, all, name !== undefined);
		const paths = tablesFirst([...others, ...entryLists(entries, name)], all);
		const unnamed = paths.filter((other) => pathText(other) !== nameText);
		const inner = unnamed.flatMap((other) => innerOf(other, all));
		return inner.length > 0 ? [[...inner, ...unnamed], unnamed] : [unnamed];
	});
}

function valueFitness({ path, values }: Field, count: number): number {
	const there = values.filter((value) => !isNothing(value));
	return 2 * fitnessOf(path, VALUES) + there.length / Math.max(1, count);
}

const isPlain = (value: unknown) => !isNothing(value) && !isOuter(value);

/** Where values are objects, e.g. an amount with its currency: the field that holds the value itself. */
function innerOf(path: Path, entries: object[]): Path[] {
	const objects = entries.map((entry) => partAt(entry, path)).filter(isObject);
	const inner = fieldsIn(objects).find(
		(field) =>
			/^(value|amount|text|content)$/i.test(String(field.path.at(-1))) &&
			field.values.some(isPlain),
	);
	return inner ? [[...path, ...inner.path]] : [];
}

/** The fields with lists of entries that have names as well, e.g. the cells of a table. */
function entryLists(entries: object[], name: NamePath | undefined): Path[] {
	if (!name) return [];
	const isNamed = (entry: unknown) => typeof partAt(entry, name.path) === 'string';
	return fieldsIn(entries).flatMap(({ path, values }) =>
		!path.includes(EACH) && values.some((value) => isTable(value) && value.every(isNamed))
			? [path]
			: [],
	);
}

/** Named entries in the lists of others, e.g. the cells of a table. */
function entriesBelow(entries: object[], name: NamePath): object[] {
	const below: object[] = [];
	let level: unknown[] = entries;
	for (let depth = 0; depth < DEEPEST_CONTAINER && below.length < MOST_SAMPLES; depth++) {
		level = level.filter(isOuter).flatMap((part) => Object.values(part) as unknown[]);
		below.push(
			...level.filter(isOuter).filter((part) => typeof partAt(part, name.path) === 'string'),
		);
	}
	return below.slice(0, MOST_SAMPLES);
}

/**
 * A path to values, with others for the entries that hold nothing there: fields that are named as values,
 * fields that begin with the same word (`valueString`, `valueNumber`), and the object around the path.
 */
function withAlternatives(
	first: Path,
	possible: Field[],
	entries: object[],
	areNamed: boolean,
): Path[] {
	const paths = [first];
	const lacks = (path: Path) => (entry: object) => {
		const value = partAt(entry, path);
		return isNothing(value) || isObject(value);
	};
	const boxes = entries.filter((entry) => has(entry, first)).slice(0, MOST_BOXES);
	let rest = entries.filter(lacks(first));
	const ofRest = fieldsIn(rest).filter(isFit);
	const others = [...possible.filter(isFit), ...ofRest]
		.map(({ path }) => path)
		.filter((path) => !startsWith(first, path));
	const around = first.includes(EACH) ? [] : [first.slice(0, -1)];
	for (const path of [...typedLike(first, entries), ...others, ...around]) {
		const left = rest.filter(lacks(path));
		const isTyped =
			path.length === 1 &&
			first.length === 1 &&
			typedWord(path) !== undefined &&
			typedWord(path) === typedWord(first);
		if (!isTyped && (path.length === 0 || left.length === rest.length)) continue;
		// What has no name is a box by the fields that it shares with others.
		if (!isTyped && !areNamed && !entries.some((entry) => has(entry, path) && isLike(entry, boxes)))
			continue;
		paths.push(path);
		rest = left;
	}
	return paths;
}

/** Whether a part shares a field with some boxes. */
const isLike = (entry: object, boxes: object[]) =>
	boxes.some((box) => Object.keys(entry).some((key) => Object.hasOwn(box, key)));

const has = (entry: object, [step]: Path) => Object.hasOwn(entry, String(step));

/** Each path once; those to lists of rows first, as their text may stand beside them. */
function tablesFirst(paths: Path[], entries: object[]): Path[] {
	const unique = [...new Map(paths.map((path) => [pathText(path), path])).values()];
	const isList = (path: Path) => entries.some((entry) => isTable(partAt(entry, path)));
	const lists = unique.filter(isList);
	return [...lists, ...unique.filter((path) => !isList(path))].slice(0, MOST_ALTERNATIVES);
}

/** Whether a field is named as a value, or holds lists of rows. */
const isFit = ({ path, values }: Field) =>
	fitnessOf(path, VALUES) > 0.3 || (values.some(isTable) && fitnessOf(path, CHILDREN) > 0);

/** Fields beside a value's that begin with the same word, as one for each type of value does. */
function typedLike(first: Path, entries: object[]): Path[] {
	const word = typedWord(first);
	if (word === undefined || first.length > 1) return [];
	const parts = [...levelsOf<unknown>(entries, DEEPEST_CONTAINER)].flat().filter(isObject);
	const keys = new Set(parts.flatMap((part) => Object.keys(part)));
	return [...keys]
		.filter((key) => key.startsWith(word) && /^[A-Z_]/.test(key.slice(word.length)))
		.map((key) => [key]);
}

/** The word that the names of typed fields begin with. */
const typedWord = (path: Path) => /^[a-z]+(?=[A-Z_])/.exec(String(path.at(-1)))?.[0];

const startsWith = (path: Path, start: Path) =>
	path.length >= start.length && pathText(path.slice(0, start.length)) === pathText(start);

const isNoTable = (path: Path) =>
	path.some((step) =>
		wordsIn(String(step)).some((word) => NO_TABLE.test(word) || ABOUT.test(word)),
	);

/** A reading, with the tables that stand beside its place, or in an object there. */
function withTables(
	reading: Tried,
	containers: Container[],
	tried: (rows: Rows) => Tried[],
): Tried {
	const [main] = reading.rows.places;
	const { path } = main;
	if (path.length === 0) return reading;
	const lists = containers.filter(
		(one) =>
			one.parts.some(isTable) &&
			startsWith(one.path, path.slice(0, -1)) &&
			one.path.length >= path.length &&
			!startsWith(one.path, path) &&
			!isNoTable(one.path.slice(path.length - 1)),
	);
	const tables = lists
		// Of lists in lists, the outer one.
		.filter((one) => !lists.some((other) => other !== one && startsWith(one.path, other.path)))
		.flatMap(
			(one) =>
				tablePlaces(one, main).find((place) => {
					const [read] = tried({ places: [place] });
					return read?.documents.flat().some(({ value }) => isTable(value));
				}) ?? [],
		);
	if (tables.length === 0) return reading;
	const [both] = tried({ places: [main, ...tables] });
	// Its tables say nothing about where the columns are.
	return both ? { ...both, likelihood: reading.likelihood } : reading;
}

/** How a list may be read as a table beside a place: its rows may be lists of named entries, as there. */
function tablePlaces({ path, parts }: Container, { name, values }: Place): Place[] {
	const entries = partsOf(parts).filter(isObject);
	if (!name) return [{ path, values }];
	if (entries.some((entry) => typeof partAt(entry, name.path) === 'string')) {
		return [{ path, name, values: [...values, ...listsIn(entries)] }];
	}
	return [
		{ path, name, values },
		{ path, values: [] },
	];
}

/** The fields of some entries with lists of rows. */
const listsIn = (entries: object[]) =>
	fieldsIn(entries).flatMap((field) =>
		field.values.some(isTable) && isFit(field) ? [field.path] : [],
	);

const shareOf = <T>(values: T[], holds: (value: T) => boolean) =>
	values.filter(holds).length / Math.max(1, values.length);

/** A number from 0 to 1 is mostly a confidence. */
const isConfidence = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1;

/** What fields are called that contain values, columns' names or a value itself. */
const PLACES =
	/^(values?|data|fields?|extract(ed|ion|ions)?|answers?|results?|contents?|columns?|cells?|entities|predictions?|outputs?|attributes?|children|items)$/;
const NAMES =
	/^(names?|labels?|titles?|columns?|fields?|keys?|questions?|headings?|captions?|schema|types?)$/;
const VALUES =
	/^(values?|answers?|texts?|contents?|results?|data|responses?|extracted|normalized|parsed|transcriptions?|mention)$/;
const CHILDREN = /^(rows?|cells?|children|properties|items|entries|lines?|fields?|values?)$/;
/** What fields are called that say something about a value, its column, its document or its page. */
const ABOUT =
	/^(meta|metadata|usage|stats?|cost|reviews?|users?|links?|urls?|mime|ids?|uuid|status|created|updated|at|confidences?|scores?|probability|sources?|pages?|box|boxes|bbox|polygon|geometry|units?|prompts?|reasoning|explanations?|citations?|validations?|anchor|bounding|regions?|spans?|types?|kinds?|formats?)$/;
const NO_TABLE =
	/^(blocks|words|tokens|paragraphs|styles|errors|warnings|exceptions|messages|pages|citations|logs|history|events|files|bounding|regions?|metadata|meta|usage|metrics|chunks|polygons?|citation|evidence)$/;

/** How well a way is named: from 1 where all its words fit, and 2 less where one says something about values. */
function fitnessOf(path: Path, words: RegExp): number {
	const own = path
		.filter((step) => typeof step === 'string')
		.flatMap(wordsIn)
		.filter(Boolean);
	const fits = own.filter((word) => words.test(word)).length / Math.max(1, own.length);
	// An ID may be a column's.
	const about = own.filter(
		(word) => ABOUT.test(word) && !(fits > 0 && words === NAMES && /^(ids?|types?)$/.test(word)),
	);
	return fits - (about.length > 0 ? 2 : 0) - 0.1 * Math.max(0, path.length - 1);
}

/**
 * How likely a reading is, by what recurs, what varies and what fields are called. It only orders
 * readings: each part goes from 0 to 1, and its weight says how much a full 1 counts.
 */
function likelihoodOf({ places }: Rows, rows: ColumnValue[][], known: PartOfWorkflow[]): number {
	const [
		{
			path,
			name,
			values: [value = []],
		},
	] = places;
	const filled = rows.filter((row) => row.length > 0);
	const cells = filled.flat();
	const columns = [...new Set(cells.map(({ column }) => column))];
	const ofDocuments = filled.flatMap((row) => [...new Set(row.map(({ column }) => column))]);
	const values = cells.map((cell) => cell.value).filter((one) => !isEmpty(one));
	const different = new Set(values.map((one) => (isOuter(one) ? fingerprintOf(one) : one)));
	const dotted = columns.filter((column) => column.includes('.'));
	const ends = dotted.map((column) => column.split('.').at(-1));
	const starts = dotted.map((column) => column.split('.')[0]);
	return (
		// A workflow's columns are those of all its documents.
		2 * (ofDocuments.length / (columns.length * filled.length)) +
		// A document has two values for one column if it was extracted again, or is read wrongly.
		2 * (ofDocuments.length / cells.length) +
		// What is the same everywhere describes the document or the service.
		different.size / Math.max(1, values.length) +
		// What most entries lack is not their value.
		values.length / cells.length +
		// Most workflows have several columns; beyond a few, their number tells little.
		2 * (Math.min(columns.length, 4) / 4) +
		0.5 * Math.min(1, Math.log2(Math.max(1, columns.length / 4)) / 2) -
		// Where the same fields come again and again, they are of boxes that were not opened.
		3 * repeatedShare(ends, columns.length) -
		// Where columns begin alike, their place is further in.
		2 * mostRepeated(starts, columns.length) -
		2 * shareOf(values, isConfidence) -
		// A list with one entry probably has the value inside it.
		shareOf(values, (one) => isTable(one) && one.length === 1) +
		4 * (known.length > 0 ? columnsAmong(rows, known).size / known.length : 0) -
		// What stands beside the name, in an object of its own, describes the column.
		(name &&
		name.path.length > 1 &&
		pathText(name.path.slice(0, -1)) === pathText(value.slice(0, -1))
			? 1
			: 0) -
		0.1 * path.length -
		// At the top are the service's own fields.
		(path.length === 0 && !name ? 0.6 : 0) +
		fitnessOf(path.filter((step) => step !== EACH).slice(-1), PLACES) +
		(name ? 0.5 * (fitnessOf(name.path, NAMES) + fitnessOf(value, VALUES)) : 0.5) +
		(!name && value.length > 0 ? fitnessOf(value, VALUES) - 0.2 : 0)
	);
}

/** Of the columns, the share of those whose last field most objects have. */
function repeatedShare(ends: Array<string | undefined>, columns: number): number {
	const counts = new Map<string | undefined, number>();
	for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
	const repeated = [...counts.values()].filter((count) => count > 2);
	return repeated.reduce((sum, count) => sum + count, 0) / columns;
}

/** Of the columns, the share of those that are in one object. */
function mostRepeated(starts: string[], columns: number): number {
	const counts = new Map<string, number>();
	for (const start of starts) counts.set(start, (counts.get(start) ?? 0) + 1);
	const most = Math.max(0, ...counts.values());
	return most > 2 || most === columns ? most / columns : 0;
}

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

/** The row of the document that has the most values, for its user to recognize. */
export function rowText(rows: ColumnValue[][]): string {
	const valuesOf = (row: ColumnValue[]) => row.filter(({ value }) => !isEmpty(value)).length;
	const row = rows.reduce((most, one) => (valuesOf(one) > valuesOf(most) ? one : most), []);
	const cells = row.map(({ column, value }) => `${redact(column)}: ${cellText(value)}`);
	return fewOf(cells, MOST_CELLS, ' · ', ' · and');
}

/** A value in a few words. */
export function cellText(value: unknown): string {
	if (Array.isArray(value)) return `a table with ${counted(value.length, 'row')}`;
	const text = isObject(value) ? `{${Object.keys(value).join(', ')}}` : String(value ?? '');
	return shortened(redact(text), LONGEST_CELL);
}

/** How many ways to read results a message shows. */
const MOST_SHOWN = 3;

/** The likeliest ways to read some documents, one per line; empty where there is none. */
export function choicesIn(documents: DocumentResults[], columns: PartOfWorkflow[] = []): string {
	return readingsOf(documents, columns)
		.slice(0, MOST_SHOWN)
		.map((reading) => `Rows: ${redact(rowsText(reading.rows))} → ${readingText(reading, columns)}`)
		.join('\n');
}

/** The row that a reading gives, and how many of the workflow's columns it has. */
export function readingText(
	{ documents, ownColumns: own }: Reading,
	columns: PartOfWorkflow[],
): string {
	const beside =
		own === undefined ? '' : ` (${own} of your workflow's ${counted(columns.length, 'column')})`;
	return `${rowText(documents)}${beside}`;
}
