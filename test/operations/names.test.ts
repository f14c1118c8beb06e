import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { comparableName, fieldsOf } from '../../nodes/DocumentExtraction/account/fields';
import { withoutSignedUrls } from '../../nodes/DocumentExtraction/http/redact';
import { asTool } from '../support/n8n';
import { useService } from '../support/useService';

const NO_BREAK = '\u00a0';
const NO_WIDTH = '\u200b';

describe('names that users enter', () => {
	const used = useService({ profile: 'atlas' });

	const PARAMETERS = { resource: 'extraction', operation: 'getAll', returnAll: true };
	const CREDENTIAL = { rows: 'values' };

	const required = (name: string) => ({
		requiredColumns: { columns: [{ column: { __rl: true, mode: 'name', value: name } }] },
	});

	const getMany = async (values: IDataObject, options: INodeParameters) => {
		const items = [{ document_id: 'd1', values }];
		await used.answer('getExtractions', { total: 1, page: 1, limit: 200, pages: 1, items });
		return await used.run({ ...PARAMETERS, options }, { credential: CREDENTIAL });
	};

	describe.each([
		['as one character, or as two', 'Café', 'Cafe\u0301'],
		['with a no-break space', 'Invoice no.', `Invoice${NO_BREAK}no.`],
		['with a space of no width at the end', 'Total', `Total${NO_WIDTH}`],
		['with spaces around it', 'Total', ' Total  '],
		['with two spaces inside', 'Unit price', 'Unit  price'],
	])('are compared as they look: %s', (_, entered, column) => {
		it('in Required Columns', async () => {
			const { error, output } = await getMany({ [column]: 1 }, required(entered));

			expect(error).toBeUndefined();
			expect(output).toHaveLength(1);
		});

		it('in Rows Of', async () => {
			const rows = [{ Article: 'A' }, { Article: 'B' }];
			const rowsOf = { __rl: true, mode: 'name', value: entered };

			const { hints, output } = await getMany({ [column]: rows }, { rowsOf });

			expect(
				output.map(({ json }) => json[`${column} Article`] ?? json[`${entered} Article`]),
			).toEqual(['A', 'B']);
			expect(hints).toEqual([]);
		});

		it('in Selected Fields', async () => {
			const items = [{ document_id: 'd1', values: { [column]: 7 } }];
			await used.answer('getExtractions', { total: 1, page: 1, limit: 200, pages: 1, items });

			const { output } = await asTool().runNode({
				parameters: { ...PARAMETERS, output: 'selectedFields', selectedFields: [entered] },
				credential: used.service.credential(CREDENTIAL),
			});

			expect(output.map(({ json }) => json)).toEqual([{ documentId: 'd1', [entered]: 7 }]);
		});
	});

	it.each([NO_BREAK, NO_WIDTH, ` ${NO_BREAK}\t${NO_WIDTH}`, '\ufeff', '\u2060'])(
		'a value of nothing but spaces is empty: %j',
		async (value) => {
			const { error } = await getMany({ Total: value }, required('Total'));

			expect(error?.message).toBe("No value for 'Total'");
		},
	);

	it('letters stay what they are', () => {
		expect(comparableName('Größe № 1 (m²)')).toBe('Größe № 1 (m²)');
	});
});

describe('signed URLs that are names of fields', () => {
	const URL = 'https://storage.example/a/b?X-Amz-Signature=SECRET123';

	it('are not listed among the fields of a response', () => {
		expect(fieldsOf({ [URL]: 1, 'sig=SECRET123': 2, a: { [URL]: 'x', 'Paid?': true } })).toBe(
			'a.Paid?',
		);
	});

	it('are replaced in what is handed on', () => {
		const shown = withoutSignedUrls({ files: { [URL]: { size: 1 } } });

		expect(shown).toEqual({ files: { '(signed URL)': { size: 1 } } });
	});
});
