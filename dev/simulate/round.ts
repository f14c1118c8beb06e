import type { IDataObject } from 'n8n-workflow';
import type { BinaryMode } from '../../test/support/binary.ts';
import type { Service } from '../../test/support/service.ts';
import type { ResultRow } from '../service/model.ts';
import { shareOf, type ApiDetails, type Profile } from '../service/profiles/profile.ts';
import type { LoggedRequest } from '../service/requestLog.ts';
import { Claims } from './claims.ts';
import { note, type Figures, type Wrong } from './figures.ts';
import { doRowsMove, flawsOf, lasting } from './model.ts';
import type { NodeUnderTest } from './node.ts';
import type { Randomness } from './randomness.ts';
import type { Weather } from './weather.ts';

type Result = Awaited<ReturnType<Service['control']['values']>>[number];

export interface RoundOptions {
	node: NodeUnderTest;
	service: Service;
	/** What differs from the right API Details of the service, by their names. */
	details: ApiDetails;
	mode: BinaryMode;
	weather: Weather;
	/** All that the service has received. */
	requests: readonly LoggedRequest[];
	figures: Figures;
}

/** A number of operations on a fresh service, and what the node claims of them. */
export class Round {
	readonly claims = new Claims();
	/** Those of the second workflow, which no operation changes. */
	results: Result[] = [];
	/** What is compared with the results of the first workflow when all is over. */
	private readonly atEnd: Array<(results: Result[]) => void> = [];

	constructor(readonly options: RoundOptions) {}

	get service() {
		return this.options.service;
	}

	get details(): ApiDetails {
		return { ...this.service.account.apiDetails, ...this.options.details };
	}

	get credential() {
		return this.service.credential(this.options.details);
	}

	get workflows() {
		return this.service.account.environments.test.workflows;
	}

	/** Whether the node is told of no sign but results: then it cannot tell old ones from new ones. */
	get waitsByResultsAlone() {
		const { finishedStatuses, workflowEndpoint } = this.details;
		return !finishedStatuses && !workflowEndpoint;
	}

	/** Begins: the service is as new but for what is merged, and so many documents to be listed. */
	async open(random: Randomness, documents: number, extractionsPerDocument: number) {
		const { control } = this.service;
		await control.reset();
		await control.settings(this.options.weather.settings);
		for (const { id } of this.workflows.main.collections)
			await control.seed({ documents: 2, collection: id });
		const workflow = this.workflows.second.id;
		await control.seed({ workflow, documents, extractionsPerDocument });
		this.results = await control.values(workflow);
		await control.faults(this.options.weather.faults);
		await control.seedFaults(random.between(0, 2 ** 31));
	}

	note(wrong: Wrong, what: unknown, operation?: number, count = 1) {
		const { profile } = this.service.account;
		const text = `${profile}, ${typeof what === 'string' ? what : JSON.stringify(what)}`;
		note(this.options.figures, { wrong, operation, what: text }, count);
	}

	/** Holds what the node said against what the service did and has. */
	async compare() {
		const { control } = this.service;
		const { figures, weather, requests } = this.options;
		figures.calls += requests.length;
		for (const [wrong, what] of flawsOf(requests, weather)) this.note(wrong, what);
		for (const { fault, happened } of await control.injectedFaults()) {
			figures.faults[fault.type] = (figures.faults[fault.type] ?? 0) + happened;
		}
		await control.clearFaults();
		// Whoever compares is not refused either.
		await control.settings({ rate: null, maxInFlight: null });
		const ledger = await control.ledger();
		this.claims.compare(ledger, figures);
		for (const { fileName, contentType } of ledger.uploads) {
			const isSaid = !fileName.endsWith('.txt') || contentType === 'text/plain';
			if (!isSaid) this.note('lost', `the type of ${fileName}, which was sent as ${contentType}`);
		}
		const results = await control.values(this.workflows.main.id);
		for (const compareWith of this.atEnd) compareWith(results);
	}

	/** Notes when all is over what a document's results are otherwise than the node gave them. */
	compareAtEnd(documentId: string, items: IDataObject[], isSimple: boolean, operation: number) {
		this.atEnd.push((results) => {
			const own = results.filter((result) => result.documentId === documentId);
			if (isSimple) return this.compareValues(own, items, operation);
			const given = items.map(({ extraction }) => JSON.stringify(extraction));
			const [known, claimed] = [own.map(rowOf), given].map((list) => list.map(lasting));
			this.compareRows(`results of ${documentId}`, known, claimed, operation);
		});
	}

	/** Notes documents whose row is not there once, or does not hold what their results tell. */
	compareValues(results: Result[], rows: IDataObject[], operation: number) {
		const ids = documentsOf(results);
		const given = rows.map(({ documentId }) => String(documentId));
		this.compareRows('rows of documents', ids, given, operation);
		for (const row of rows) {
			const own = results.filter(({ documentId }) => documentId === row.documentId);
			const values = own.flatMap((result) => result.values);
			const flaw = flawOfRow(row, values, doRowsMove(this.options.weather));
			// One that came meanwhile is none of the list.
			if (flaw && own.length > 0) this.note('lost', [flaw, row], operation);
		}
	}

	/** Whether Rows says how sure the service is of its values. */
	get isRated() {
		return this.details.rows.includes(' ~ ');
	}

	/** Notes rows in which another confidence stands beside a value than the service has given it. */
	compareConfidences(rows: IDataObject[], operation: number) {
		for (const row of this.isRated ? rows.filter(({ confidence }) => confidence) : []) {
			const given = row.confidence as Record<string, number>;
			const shares = [this.workflows.main, this.workflows.second].flatMap(({ columns }) =>
				columns.map(({ name }, position) => [name, shareOf(position)]),
			);
			const known = new Map(shares as Array<[string, number]>);
			const rightOf = (field: string) =>
				known.get(field) ?? known.get(field.replace(/ \(\d+\)$/, ''));
			const fields = Object.keys(row).filter((field) => rightOf(field) !== undefined);
			const isValued = (field: string) => !isEmpty(row[field]) && !ABOUT.has(field);
			const wrong =
				Object.entries(given).find(([field, share]) => share !== rightOf(field)) ??
				fields.find((field) => isValued(field) && given[field] === undefined);
			const lowest = Object.keys(given).length > 0 ? Math.min(...Object.values(given)) : null;
			if (wrong) this.note('lost', ['a confidence', wrong, row], operation);
			else if (row.lowestConfidence !== lowest) this.note('lost', ['the lowest', row], operation);
		}
	}

	/** Notes rows that are there and were not given, and rows that were given more often. */
	compareRows(what: string, rows: string[], given: string[], operation: number) {
		const seen = new Set<string>();
		const repeated = new Set(given.filter((row) => seen.has(row) || !seen.add(row)));
		const missing = rows.filter((row) => !seen.has(row));
		if (missing.length > 0) {
			this.note('lost', [what, ...missing.slice(0, 1)], operation, missing.length);
		}
		if (repeated.size > 0) this.note('doubled', what, operation, repeated.size);
	}
}

export const documentsOf = (results: Result[]) => [
	...new Set(results.map(({ documentId }) => documentId)),
];

export const rowOf = ({ body }: Result) => JSON.stringify(body);

/** What a row has besides its columns, behind them. */
const ABOUT = new Set([
	'documentId',
	'fileName',
	'file',
	'extractionStatus',
	'complete',
	'confidence',
	'lowestConfidence',
]);

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

/**
 * What is wrong with the row of a document: undefined if it holds each column's values in their order, in
 * fields that are called as the column, and nothing else.
 * @param rowsMove whether the list has them in another order than they were extracted in
 */
function flawOfRow(
	row: IDataObject,
	values: ResultRow['values'],
	rowsMove: boolean,
): string | undefined {
	const columns = new Set(values.map(([column]) => column));
	// Where a name is taken, the column's field has a number.
	const columnOf = (field: string) => (columns.has(field) ? field : field.replace(/ \(\d+\)$/, ''));
	const fields = Object.entries(row);
	const other = fields.find(([name]) => !columns.has(columnOf(name)) && !ABOUT.has(name));
	if (other && !(other[0] === 'extraction' && other[1] === null)) return `more: ${other[0]}`;
	for (const column of columns) {
		const wanted = values.filter(([name, value]) => name === column && !isEmpty(value));
		const given = fields.filter(([name, value]) => columnOf(name) === column && !isEmpty(value));
		const last = given.at(-1);
		if (last && ABOUT.has(last[0]) && given.length > wanted.length) given.pop();
		const [is, should] = [given, wanted].map((list) => {
			const texts = list.map(([, value]) => JSON.stringify(value));
			return (rowsMove ? texts.sort() : texts).join();
		});
		if (is !== should) return `${column} is ${is} for ${should}`;
	}
	return undefined;
}

/** Each round tells the node of other API Details, so that it waits and rates in another way. */
export function detailsOf(number: number, { apiDetails, confidencePath }: Profile): ApiDetails {
	const ways: ApiDetails[] = [
		{},
		{ finishedStatuses: '' },
		{ finishedStatuses: '', workflowEndpoint: '' },
	];
	const rows = confidencePath && number % 2 === 0 && `${apiDetails.rows} ~ ${confidencePath}`;
	return { ...ways[number % ways.length], ...(rows && { rows }) };
}
