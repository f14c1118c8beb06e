/**
 * Results of the service as rows of a table: one per document, with a field for each column. Where a
 * result holds its values is not shown (interface.md §2), so the user names the fields, and rows are
 * read there and nowhere else.
 */
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

import { fieldsOf, isObject, levelsOf, valueIn } from '../account/fields';
import { pathText, type Rows } from '../account/rows';
import { redact } from '../http/redact';

export interface ColumnValue {
	column: string;
	value: unknown;
}

type ResultDetail = 'valuesField' | 'columnNameField' | 'columnValueField';

type ResultFields = { [detail in ResultDetail]?: string };

function fieldsIn({ places: [{ path, name, values }] }: Rows): ResultFields {
	return {
		...(path.length > 0 && { valuesField: pathText(path) }),
		...(name && { columnNameField: pathText(name.path) }),
		...(values.length > 0 && { columnValueField: pathText(values[0]) }),
	};
}

/** What some results lack at the place that an API Detail names. */
interface Lack {
	detail: ResultDetail;
	/** What should hold it. */
	holder: unknown;
	/** Whether something else is in its place: it was not left out for being empty. */
	isOther?: boolean;
}

/** Stands for the name of a column in whose entry it is empty. */
const NO_NAME = '(no name)';

/** Where the values of a run's documents are. */
export interface Places {
	/** The values of a document, as its results have them: a column may be there twice. */
	read: (results: unknown[]) => ColumnValue[];
	/** What some results lack there; undefined where they hold values. */
	lackOf: (results: unknown[]) => Lack | undefined;
	/** Whether each field was seen, and not only further down, where something else may have its name. */
	areSeen: boolean;
}

/**
 * Where results hold their values, decided once for all documents of a run: if one of them has a field
 * at the top, it is there in all, and what has the same name further down is something else, such as
 * the `value` of a confidence.
 * @param known the results of all documents of the run, and others that show what may be there
 */
export function placesOf(rows: Rows, known: unknown[]): Places {
	const { valuesField, columnNameField, columnValueField } = fieldsIn(rows);
	const depths: number[] = [];
	const placeIn = (holders: unknown[], path: string | undefined) => {
		if (path === undefined) return (holder: unknown) => holder;
		const isAtTheTop = holders.some((holder) => valueIn(holder, path, 0) !== undefined);
		const deepest = isAtTheTop ? 0 : Infinity;
		depths.push(deepest);
		return (holder: unknown) => valueIn(holder, path, deepest);
	};
	const held = placeIn(known, valuesField);
	const isOther = (holder: unknown) => {
		if (Array.isArray(holder)) return holder.length > 0 && columnNameField === undefined;
		return valuesField !== undefined && typeof holder !== 'object' && !isEmpty(holder);
	};
	/** What there is of each column, with the key that it stands under. */
	const entriesOf = (results: unknown[]): Array<[key: string, entry: unknown]> => {
		if (valuesField === undefined) return results.map((result) => ['', result]);
		return results.flatMap((result) => {
			const holder = held(result);
			return isOther(holder) ? [] : Object.entries(holder ?? {});
		});
	};
	const entries = entriesOf(known).map(([, entry]) => entry);
	const nameIn = placeIn(entries, columnNameField);
	const heldBy = placeIn(entries, columnValueField);
	const nameOf = ([key, entry]: [string, unknown]) => {
		const name = columnNameField === undefined ? key : nameIn(entry);
		return typeof name === 'string' || typeof name === 'number' ? String(name) : '';
	};
	// In an object by column, what is no box is the value itself, e.g. a table.
	const valueOf = ([, entry]: [string, unknown]) =>
		columnNameField === undefined && !isObject(entry) ? entry : heldBy(entry);
	return {
		areSeen: !depths.includes(Infinity),
		read: (results) =>
			entriesOf(results).flatMap((entry) => {
				const column = nameOf(entry);
				// Some services leave out what is empty.
				const value = valueOf(entry) ?? null;
				if (!isEmpty(column)) return [{ column, value }];
				return isEmpty(value) ? [] : [{ column: NO_NAME, value }];
			}),
		lackOf: (results) => {
			if (results.length === 0) return undefined;
			const holders = results.map(held).filter((holder) => holder !== undefined);
			if (holders.length === 0) return { detail: 'valuesField', holder: results[0] };
			const own = entriesOf(results);
			if (own.length === 0) {
				const [holder] = holders.filter(isOther);
				return isEmpty(holder) ? undefined : { detail: 'valuesField', holder, isOther: true };
			}
			const [[, holder]] = own;
			const isNameless = own.every((entry) => isEmpty(nameOf(entry)));
			if (isNameless) return { detail: 'columnNameField', holder };
			const isEmptied = own.every((entry) => valueOf(entry) === undefined);
			return isEmptied ? { detail: 'columnValueField', holder } : undefined;
		},
	};
}

/**
 * Reads the documents of a run. What one of them lacks, but another one has, was left out because it is
 * empty.
 * @param known as for `placesOf`, whose outcome for it may be at hand as `places`
 * @returns a function that throws a UserError if, at the place that the credential names, a document
 * has something other than values, or has nothing and no known result has anything there either
 */
export function valuesReader(rows: Rows, known: unknown[], places?: Places) {
	const { read, lackOf } = places ?? placesOf(rows, known);
	const lack = lackOf(known);
	return (results: unknown[]) => {
		const own = lackOf(results);
		if (own && (own.isOther || own.detail === lack?.detail))
			throw nothingThere(fieldsIn(rows), own);
		return read(results);
	};
}

/** The values of one document; none where its results hold nothing, or nothing yet, at the place that the fields name. */
export function readableValues(results: unknown[], rows: Rows): ColumnValue[] {
	const { read, lackOf } = placesOf(rows, results);
	return lackOf(results) ? [] : read(results);
}

/** The error about a document; its description may go on with how its results can be read. */
function nothingThere(fields: ResultFields, { detail, holder, isOther }: Lack): UserError {
	const place = `'${fields[detail]}' (see 'Rows' in the credential)`;
	const isHolder = holder !== null && typeof holder === 'object';
	const has = isHolder ? `It has: ${fieldsOf(holder)}.` : `It is: ${redact(String(holder))}.`;
	const isEntry = fields.valuesField && detail !== 'valuesField';
	const lacks = isEntry ? 'An entry of a result has no field' : 'A result has no field';
	return new UserError(isOther ? `${place} contains no columns` : `${lacks} ${place}`, {
		description: `${has} There are three possible reasons: nothing was found in the document, its extraction failed or is not over, or 'Rows' is wrong. If other documents give their values, it is right: look at the document with Document › Get Many, and read it again later. Otherwise, enter one of the choices that Workflow › Check Setup shows for Rows. If one is entered already, show this to your account team.`,
	});
}

/** Whether a value is blank, or a table without rows or with nothing but blank cells. */
export function isEmpty(value: unknown): boolean {
	if (value !== null && typeof value === 'object') {
		// However deep it is.
		const [, ...levels] = levelsOf(value);
		return levels.flat().every((part) => isObject(part) || Array.isArray(part) || isEmpty(part));
	}
	return typeof value === 'string' ? value.trim() === '' : value === null || value === undefined;
}

/**
 * The row of a document: its columns' values, then what is known of the document. One without any
 * column says `extraction: null`.
 * @param about the fields that the row has besides, whose names no column gets
 */
export function rowOf(values: ColumnValue[], about: IDataObject): IDataObject {
	if (values.length === 0) return { extraction: null, ...about };
	const columns = values.map(({ column }) => column);
	const names = fieldNames(columns, [...Object.keys(about), 'extraction']);
	const cells = Object.fromEntries(values.map(({ value }, index) => [names[index], value]));
	return { ...(cells as IDataObject), ...about };
}

/**
 * A field's name for each column: the column's own, or with a number where that is taken. Names that
 * differ only in case are different names, so that each column's name is the same in every row.
 * @param taken names that no column gets
 */
function fieldNames(columns: string[], taken: string[]): string[] {
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
