import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Service } from '../../test/support/service.ts';
import { statementsOf } from '../demo/statements.ts';
import type { Row } from './rows.ts';
import { samples, sampleNames } from './stage.ts';

/** In a file or on a page, a number may be a text. */
const asNumber = (value: unknown) => (typeof value === 'string' && value ? [Number(value)] : []);

/**
 * Fails unless the values include all that the document itself says; tables are spread over cells.
 * @param chosen names of the columns that count; all, if left out
 */
export async function assertSaid(
	service: Service,
	fileName: string,
	values: unknown[],
	chosen?: string[],
) {
	const { columns } = service.account.environments.test.workflows.main;
	const statements = (await statementsOf(join(samples, fileName), columns)).filter(
		({ column }) => column.type !== 'table' && (!chosen || chosen.includes(column.name)),
	);
	assert.ok(statements.length > 0, `${fileName} says nothing.`);
	const candidates = values.flatMap((value) => [value, ...asNumber(value)]);
	for (const { column, says } of statements) {
		assert.ok(candidates.some(says), `${column.name} of ${fileName} is not in the result.`);
	}
}

/** Fails unless the rows hold what all sample documents say, each row under the name of its file. */
export async function assertAllSaid(
	service: Service,
	rows: Row[],
	names = sampleNames,
	chosen?: string[],
) {
	assert.deepEqual([...new Set(rows.map(({ fileName }) => fileName))].sort(), names);
	for (const name of names) {
		const values = rows
			.filter(({ fileName }) => fileName === name)
			.flatMap((row) => Object.values(row));
		await assertSaid(service, name, values, chosen);
	}
}
