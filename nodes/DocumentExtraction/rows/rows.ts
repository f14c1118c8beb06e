/**
 * Results of the service as rows of a table: one per document, with a field for each column. Where a
 * result holds its values is not shown (interface.md §2), so the user says it in Rows, and rows are
 * read there and nowhere else.
 */
import { UserError } from 'n8n-workflow';

import {
	comparableName,
	fieldsOf,
	isObject,
	isOuter,
	levelsOf,
	ownValue,
	type JsonObject,
} from '../account/fields';
import {
	meant,
	partAt,
	partsAt,
	pathText,
	type Path,
	type Place,
	type Rows,
} from '../account/rows';
import { redact } from '../http/redact';

export interface ColumnValue {
	column: string;
	/** A text, a number, a boolean or null; or a list, which is a table if its entries are objects. */
	value: unknown;
	/** Where Rows says `~ path`, the confidences in each row of a list, or in the value. */
	confidences?: unknown[][];
}

/** Columns are nested less deeply; what stands further down stays as it is. */
const DEEPEST = 40;

/** Stands for the name of a column in whose entry it is empty. */
const NO_NAME = '(no name)';

/** What there is at a place. */
interface Found {
	cells: ColumnValue[];
	/** The way to what is not there: to the place or, in all of its entries, to the name or the value. */
	lacking?: Path;
	/** Whether there is something other than columns. */
	isOther?: boolean;
	/** What lacks it, or is something else. */
	holder?: unknown;
}

/** Reads the documents of a run. */
export interface RowsReader {
	/**
	 * The values of a document, as its results have them: a column may be there twice.
	 * @throws UserError if there is something other than columns, or if there is nothing, and no known
	 * result has anything there either
	 */
	read: (results: unknown[]) => ColumnValue[];
	/** The same; none where there is nothing, or nothing yet. */
	readable: (results: unknown[]) => ColumnValue[];
	/** The places where no known result has anything. */
	missing: () => string[];
}

/**
 * @param known the results of all documents of the run, and others that show what may be there
 * @param columns the workflow's, where Rows says that entries name a column by its ID
 */
export function rowsReader(rows: Rows, known: unknown[], columns: JsonObject[] = []): RowsReader {
	const readers = rows.places.map((place) => new PlaceReader(place, rows.places, known, columns));
	const read = (results: unknown[]) => readers.map((reader) => reader.read(results));
	return {
		read: (results) => {
			const found = read(results);
			const isNowhere = found.every(({ lacking }, index) => lacking && !readers[index].isKnown());
			const wrong = found.find(({ isOther }) => isOther) ?? (isNowhere && found[0]);
			if (wrong && results.length > 0) throw nothingThere(rows.places[found.indexOf(wrong)], wrong);
			return found.flatMap(({ cells }) => cells);
		},
		readable: (results) => {
			const found = read(results);
			return found.every(({ lacking }) => lacking) ? [] : found.flatMap(({ cells }) => cells);
		},
		missing: () =>
			readers
				.filter((reader) => known.length > 0 && !reader.isKnown())
				.map(({ place }) => pathText(place.path)),
	};
}

export const isTable = (value: unknown): value is unknown[] =>
	Array.isArray(value) && value.some((entry) => isObject(entry));

/** Whether a cell of a table's row is a table. */
export const holdsTable = (row: unknown) => isObject(row) && Object.values(row).some(isTable);

export const isNothing = (value: unknown) =>
	value === undefined || value === '' || value === null || (Array.isArray(value) && !value.length);

/** A value as a column; an object that is left as columns with dots. */
function columnsFrom(column: string, value: unknown): ColumnValue[] {
	if (!isObject(value)) return [{ column, value }];
	const inner = Object.entries(value);
	if (inner.length === 0) return [{ column, value: null }];
	return inner.map(([name, part]) => ({ column: `${column}.${name}`, value: part }));
}

/** A row within a table. */
function rowFrom(cells: ColumnValue[]): JsonObject {
	const columns = cells.map(({ column }) => column);
	const names = new Set(columns).size === columns.length ? columns : fieldNames(columns, []);
	return Object.fromEntries(cells.map(({ value }, index) => [names[index], value]));
}

/**
 * The one list of rows in a list's entry that has nothing else to tell: its other fields are empty, or
 * the place that it has in the list.
 */
function onlyListIn(entry: unknown, index: number): unknown[] | undefined {
	if (Array.isArray(entry)) return entry;
	if (!isObject(entry)) return undefined;
	const others = Object.values(entry).filter(
		(part) => !isNothing(part) && part !== index && part !== index + 1,
	);
	if (others.length === 0) return Object.values(entry).find((part) => Array.isArray(part));
	return others.length === 1 && isTable(others[0]) ? others[0] : undefined;
}

/** A table that is given as its columns, each an object with a name and a list of cells, as rows. */
function transposed(columns: unknown): unknown {
	if (!Array.isArray(columns)) return columns;
	const parts = columns.map((column): unknown[] => (isObject(column) ? Object.values(column) : []));
	const names = parts.map((held) => held.find(isName));
	const lists = parts.map((held) => held.find((part): part is unknown[] => Array.isArray(part)));
	const isWhole = lists.every((cells) => cells && cells.length === lists[0]?.length);
	if (!isWhole || !names.every(isName)) return columns;
	return lists[0]?.map((_, row) =>
		rowFrom(names.map((name, index) => ({ column: String(name), value: lists[index]?.[row] }))),
	);
}

const ROW = /^row(_?(index|no|number|id))?$/i;
const COLUMN = /^col(umn)?(_?(index|no|number|id))?$/i;

/** What an entry says of its place in a table, in the first field that is called so. */
function placeIn(entry: unknown, called: RegExp): unknown {
	if (!isObject(entry)) return undefined;
	const key = Object.keys(entry).find((one) => called.test(one));
	return key === undefined ? undefined : entry[key];
}

/** Whether an entry is a cell of a table, whatever else it says. */
const isCell = (entry: unknown) =>
	typeof placeIn(entry, ROW) === 'number' && typeof placeIn(entry, COLUMN) === 'number';

/** Named cells as rows: one ends where the row's number changes or, without it, where a name comes again. */
function splitIntoRows(cells: Array<ColumnValue & { row: unknown }>): JsonObject[] {
	const rows: ColumnValue[][] = [];
	let names = new Set<string>();
	let last: unknown;
	for (const { column, value, row } of cells) {
		const isNew = row === undefined ? names.has(column) : row !== last;
		if (isNew || rows.length === 0) {
			rows.push([]);
			names = new Set();
		}
		last = row;
		names.add(column);
		rows.at(-1)?.push(...columnsFrom(column, value));
	}
	return rows.map(rowFrom);
}

const isName = (value: unknown) =>
	(typeof value === 'string' && value.trim() !== '') || typeof value === 'number';

/** A column, or what stands for one, and the field under which it stands. */
type Entry = [key: string, held: unknown];

/** Adds rows to a column's table: what they were read from, and the confidence of the box around it. */
type AddRows = (column: string, rows: unknown[], from: unknown, outer: unknown[]) => void;

/** Reads one place of Rows. */
class PlaceReader {
	private readonly values: Path[];
	/** The fields with which the ways to a name and to a value begin. */
	private readonly leading: Set<string>;
	private readonly titles = new Map<string, string>();
	private keysBeside: Set<string> | undefined;
	private isThere: boolean | undefined;
	/** Whether the results that were read last have a name, and a value, in any entry or box. */
	private hasName = false;
	private hasValue = false;

	constructor(
		readonly place: Place,
		private readonly places: Place[],
		private readonly known: unknown[],
		columns: JsonObject[],
	) {
		const { name } = place;
		this.values = place.values.filter((path) => path.length > 0);
		const ways = name ? [...this.values, name.path] : this.values;
		this.leading = new Set(ways.map(([step]) => String(step)));
		if (name?.columnField === undefined) return;
		for (const column of columns) {
			const title = ownValue(column, name.columnField);
			const id = ownValue(column, String(name.path.at(-1)));
			if (isName(title)) this.titles.set(String(id), String(title));
		}
	}

	/** Reads the results of a document. */
	read(results: unknown[]): Found {
		const holders = results.flatMap((result) => partsAt(result, this.place.path)).map(meant);
		if (holders.length === 0) return { cells: [], lacking: this.place.path, holder: results[0] };
		const other = holders.find((holder) => typeof holder !== 'object' && !isEmpty(holder));
		if (other !== undefined) return { cells: [], isOther: true, holder: other };
		this.hasName = !this.place.name;
		this.hasValue = this.values.length === 0;
		const cells: ColumnValue[] = [];
		const tables = new Map<string, ColumnValue & { value: unknown[] }>();
		const addRows: AddRows = (column, rows, from, outer) => {
			const confidences = this.confidencesOf(rows, from, outer);
			const table = tables.get(column);
			for (const row of table ? rows : []) table?.value.push(row);
			for (const row of (table && confidences) ?? []) table?.confidences?.push(row);
			if (table) return;
			const added = { column, value: rows, confidences };
			tables.set(column, added);
			cells.push(added);
		};
		const held = holders.map((holder) => ({ holder, entries: this.entriesIn(holder) }));
		for (const { holder, entries } of held) {
			const list = entries ? [] : [this.readList(holder as unknown[], 1)].flat();
			if (!entries) addRows(this.tableName(), list, holder, []);
			for (const entry of entries ?? []) this.addColumn(entry, cells, addRows);
		}
		const all = held.flatMap(({ entries }) => entries ?? []);
		const [first] = [...all.map(([, entry]) => entry), ...holders.filter(Array.isArray).flat()];
		return { cells, lacking: this.lackingIn(all, cells), holder: first };
	}

	private lackingIn(entries: Entry[], cells: ColumnValue[]): Path | undefined {
		if (entries.length === 0 && cells.length === 0) return undefined;
		if (!this.hasName) return this.place.name?.path;
		return this.hasValue || entries.length === 0 ? undefined : this.values[0];
	}

	/** Whether a known result has anything there. */
	isKnown(): boolean {
		this.isThere ??= this.known.some((result) => {
			const { lacking, isOther } = this.read([result]);
			return !lacking && !isOther;
		});
		return this.isThere;
	}

	/** What there is of each column; undefined for a table, whose entries are rows. */
	private entriesIn(holder: unknown): Entry[] | undefined {
		if (!isOuter(holder)) return [];
		const keyed = Object.entries(holder) as Entry[];
		const isTableHere = Array.isArray(holder) && holder.length > 0;
		if (!this.place.name) return isTableHere ? undefined : keyed;
		const isNamed = ([, held]: Entry) => this.nameIn(held) !== '';
		if (!isTableHere) {
			const isByKey = !isNamed(['', holder]) && keyed.some(isNamed);
			return isByKey || keyed.length === 0 ? keyed : [['', holder]];
		}
		return keyed.some(isNamed) ? keyed : undefined;
	}

	private addColumn([key, held]: Entry, cells: ColumnValue[], addRows: AddRows) {
		const { name } = this.place;
		const column = name ? this.nameIn(held) : key;
		const isBox = name !== undefined || this.isBox(held, true);
		const content = isBox ? this.contentOf(held) : held;
		const outer = isBox ? this.confidenceOf(held, []) : [];
		this.hasName ||= column !== '';
		this.hasValue ||= !name && !isObject(held);
		// A list of named entries in an entry is a row of the entry's table, be it the only one.
		const rows = this.namedRows(content, 1);
		if (rows) return addRows(column || NO_NAME, [rows].flat(), content, outer);
		const value = this.plain(content, 1);
		if (name && column === '' && isEmpty(value)) return;
		const shown = name ? column || NO_NAME : column;
		// As columns with dots, if it is an object.
		for (const cell of columnsFrom(shown, value)) {
			const [field] = cell.column.slice(shown.length + 1).split('.');
			const from = ownValue(meant(content), field) ?? content;
			cells.push({ ...cell, confidences: this.confidencesOf(cell.value, from, outer) });
		}
	}

	/**
	 * @param from what the value was read from
	 * @param outer the confidence of the box around it
	 */
	private confidencesOf(value: unknown, from: unknown, outer: unknown[]) {
		if (!this.place.confidence) return undefined;
		const rows: unknown[] = Array.isArray(value) ? value : [value];
		const parts = meant(from);
		if (Array.isArray(parts) && parts.length === rows.length) {
			return parts.map((part) => this.confidencesIn(part, outer));
		}
		const all = this.confidencesIn(from, outer);
		return rows.map(() => all);
	}

	/** @param outer what counts for parts without a confidence of their own */
	private confidencesIn(part: unknown, outer: unknown[], depth = 0): unknown[] {
		const held = meant(part);
		if (!isOuter(held) || depth > DEEPEST) return isEmpty(held) ? [] : outer;
		return this.isBox(held)
			? this.confidencesIn(this.contentOf(held), this.confidenceOf(held, outer), depth + 1)
			: Object.values(held).flatMap((inner) => this.confidencesIn(inner, outer, depth + 1));
	}

	private confidenceOf(box: unknown, outer: unknown[]): unknown[] {
		const own = this.place.confidence && partAt(box, this.place.confidence);
		return typeof own === 'number' || (typeof own === 'string' && own.trim() !== '')
			? [own]
			: outer;
	}

	/** The name of an entry's column; empty where it has none. */
	private nameIn(entry: unknown): string {
		const { name } = this.place;
		if (!name || !isOuter(entry)) return '';
		const found = partAt(entry, name.path);
		return isName(found) ? (this.titles.get(String(found)) ?? String(found)) : '';
	}

	/** What is in a box or an entry: its first alternative that holds something. */
	private contentOf(box: unknown): unknown {
		if (this.values.length === 0) {
			const [step] = this.place.name?.path ?? [];
			return isObject(box) && typeof step === 'string'
				? Object.fromEntries(Object.entries(box).filter(([key]) => key !== step))
				: box;
		}
		for (const path of this.values) {
			const content = partAt(box, path);
			if (content !== undefined) this.hasValue = true;
			if (!isNothing(content)) return content;
		}
		return null;
	}

	/** What a value is without its boxes: a plain value, a list, or an object of such fields. */
	private plain(value: unknown, depth: number): unknown {
		const held = typeof value === 'string' ? meant(value) : value;
		if (depth > DEEPEST || (typeof value === 'string' && !isTable(held))) return value;
		if (Array.isArray(held)) return this.readList(held, depth);
		if (!isObject(held)) return held;
		if (this.isBox(held)) return this.plain(this.contentOf(held), depth + 1);
		if (this.isEmptyBox(held)) return null;
		return rowFrom(
			Object.entries(held).flatMap(([key, part]) => {
				const value = this.plain(part, depth + 1);
				return columnsFrom(key, key === 'columns' ? transposed(value) : value);
			}),
		);
	}

	private readList(list: unknown[], depth: number): unknown {
		if (depth > DEEPEST) return list;
		const named = this.namedRows(list, depth);
		if (named) return named;
		const lists = list.map((entry, index) =>
			onlyListIn(this.isBox(entry) ? this.contentOf(entry) : entry, index),
		);
		// Its parts are groups of rows, or rows that are lists of named entries.
		const areGroups = lists.some(isTable) && lists.every((inner) => inner?.every(isObject));
		return areGroups
			? lists.flatMap((inner) => this.readList(inner ?? [], depth + 1))
			: list.map((entry) => this.plain(entry, depth + 1));
	}

	/** A list of named entries as a row, or as rows; undefined for any other list. */
	private namedRows(list: unknown, depth: number): JsonObject | unknown[] | undefined {
		if (!this.place.name || !Array.isArray(list) || list.length === 0) return undefined;
		const isNamed = (entry: unknown) =>
			this.nameIn(entry) !== '' && (this.isLikeOthers(entry) || isCell(entry));
		if (!list.every(isNamed) || !list.some((entry) => this.leadsToValue(entry))) return undefined;
		this.hasName = true;
		const cells = list.map((entry) => ({
			column: this.nameIn(entry),
			value: this.plain(this.contentOf(entry), depth + 1),
			row: placeIn(entry, ROW),
		}));
		const [{ column, value }] = cells;
		const isOneName = cells.every((cell) => cell.column === column);
		if (isOneName && typeof value === 'object' && value) return cells.flatMap((cell) => cell.value);
		const rows = splitIntoRows(cells);
		return rows.length === 1 ? rows[0] : rows;
	}

	private leadsToValue(part: unknown): boolean {
		if (this.values.length === 0) return true;
		return this.values.some(([step]) => ownValue(part, String(step)) !== undefined);
	}

	/** @param isCertain where a value is a box if it can be one: directly under the place */
	private isBox(part: unknown, isCertain = false): boolean {
		if (this.values.length === 0 || !isObject(part) || !this.leadsToValue(part)) return false;
		return isCertain || this.isLikeOthers(part);
	}

	/** A box whose value was left out: it has nothing but what stands beside other values. */
	private isEmptyBox(part: JsonObject): boolean {
		const keys = this.values.length > 0 ? Object.keys(part) : [];
		return keys.length > 0 && keys.every((key) => this.isBeside(key));
	}

	/** Whether most fields of a box stand beside other values too: a row may have a column called `value`. */
	private isLikeOthers(part: unknown): boolean {
		const others = Object.keys(part as object).filter((key) => !this.leading.has(key));
		return 2 * others.filter((key) => this.isBeside(key)).length >= others.length;
	}

	/** Whether a field stands beside values in the boxes or entries that are nearest to the top. */
	private isBeside(key: string): boolean {
		const [ofConfidence] = (this.place.confidence ?? []).map(String);
		this.keysBeside ??= new Set([...this.findKeysBeside(), ofConfidence]);
		return this.keysBeside.has(key) && !this.leading.has(key);
	}

	private findKeysBeside(): string[] {
		return this.places.flatMap(({ path }) => {
			const holders = this.known.flatMap((result) => partsAt(result, path)).map(meant);
			let depth = 0;
			for (const level of levelsOf<unknown>(holders, DEEPEST)) {
				// The list of holders is none of them; without names, nor is a holder a box.
				const isInside = depth++ > (this.place.name ? 0 : 1);
				const boxes = isInside ? level.filter((part) => this.isOpen(part)) : [];
				if (boxes.length > 0) return boxes.flatMap((box) => Object.keys(box as object));
			}
			return [];
		});
	}

	/** Whether a part can be an entry or a box, by its name or its value alone. */
	private isOpen(part: unknown): boolean {
		return this.place.name ? this.nameIn(part) !== '' : isObject(part) && this.leadsToValue(part);
	}

	/** A table is called after the last field on the way to it. */
	private tableName(): string {
		const field = this.place.path.findLast((step) => typeof step === 'string');
		return typeof field === 'string' ? field : NO_NAME;
	}
}
/** The error about a document; its description may go on with how its results can be read. */
function nothingThere({ path }: Place, { lacking = path, isOther, holder }: Found): UserError {
	const place = `'${redact(pathText(lacking))}'`;
	const holds = lacking === path ? 'A result' : 'An entry of a result';
	const what = isOther
		? `${place} (see 'Rows' in the credential) contains no columns`
		: `${holds} has no field ${place} (see 'Rows' in the credential)`;
	const has = isOuter(holder)
		? `It has: ${redact(fieldsOf(holder))}.`
		: `It is: ${redact(String(holder))}.`;
	const description = [
		has,
		'There are three possible reasons: nothing was found in the document,',
		"its extraction failed or is not over, or 'Rows' is wrong.",
		'If other documents give their values, it is right:',
		'look at the document with Document › Get Many, and read it again later.',
		'Otherwise, enter one of the choices that Workflow › Check Setup shows for Rows.',
		'If one is entered already, show this to your account team.',
	];
	return new UserError(what, { description: description.join(' ') });
}

/** Whether a value is blank, or a table without rows or with nothing but blank cells. */
export function isEmpty(value: unknown): boolean {
	if (isOuter(value)) {
		// However deep it is.
		const [, ...levels] = levelsOf(value);
		return levels.flat().every((part) => isObject(part) || Array.isArray(part) || isEmpty(part));
	}
	return typeof value === 'string'
		? comparableName(value) === ''
		: value === null || value === undefined;
}

/**
 * A field's name for each column: the column's own, or with a number where that is taken. Names that
 * differ only in case are different names, so that each column's name is the same in every row.
 * @param taken names that no column gets
 */
export function fieldNames(columns: string[], taken: string[]): string[] {
	// n8n's copies of items lose a field that is called __proto__.
	const used = new Set([...taken, '__proto__']);
	const isColumn = new Set(columns);
	const lastNumber = new Map<string, number>();
	return columns.map((column) => {
		let name = column;
		let number = lastNumber.get(column) ?? 1;
		while (used.has(name) || (name !== column && isColumn.has(name))) {
			name = `${column} (${++number})`;
		}
		lastNumber.set(column, number);
		used.add(name);
		return name;
	});
}
