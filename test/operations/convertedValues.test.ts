import type { INodeParameters } from 'n8n-workflow';
import { itemWith } from '../support/binary';
import { textFile } from '../support/files';
import { useService } from '../support/useService';

/** What expressions give for booleans, numbers and IDs: it is read as n8n converts it, or refused. */

const used = useService({ profile: 'atlas', extractionMs: 20, startMs: 5 });

const LETTER = textFile('letter.txt', 'Document number: 1');

describe('a boolean', () => {
	const force = async (value: unknown) => {
		const { documentIds } = await used.control.seed({ documents: 1 });
		const { error } = await used.run(
			{
				resource: 'extraction',
				operation: 'extractDocuments',
				documentIds: documentIds.join(),
				options: { force: '={{ $json.value }}' },
			},
			{ items: [{ json: { value: value as string } }] },
		);
		const [{ body } = { body: undefined }] = await used.control.requests('extractBulk');
		return { error: error?.message, force: (body as { force?: unknown } | undefined)?.force };
	};

	it.each([
		[true, true],
		['true', true],
		['TRUE', true],
		['1', true],
		[1, true],
		[false, undefined],
		['false', undefined],
		['False', undefined],
		['0', undefined],
		[0, undefined],
	])('is read as n8n converts it: %j', async (value, expected) => {
		expect(await force(value)).toEqual({ error: undefined, force: expected });
	});

	it.each(['', 'no', 'yes', null, 2, [], {}])(
		'is refused before any request: %j',
		async (value) => {
			const { error } = await force(value);

			expect(error).toBe("'Force' must be true or false");
			expect(await used.control.requests('extractBulk')).toEqual([]);
		},
	);

	const FIELDS: Array<[label: string, parameters: INodeParameters]> = [
		['Return All', { resource: 'extraction', operation: 'getAll', returnAll: '={{ "no" }}' }],
		['Simplify', { resource: 'extraction', operation: 'getAll', simple: '={{ "no" }}' }],
		['Keep Input Files', { options: { keepInputFiles: '={{ "no" }}' } }],
		['File Hash', { options: { fileHash: '={{ "" }}' } }],
		[
			'Wait Until Extracted',
			{
				resource: 'extraction',
				operation: 'extractDocuments',
				documentIds: 'd',
				wait: '={{ "" }}',
			},
		],
	];

	it.each(FIELDS)('is refused in %s as well', async (label, parameters) => {
		const { error } = await used.run(
			{ binaryPropertyName: '*', ...parameters },
			{ items: [await itemWith(LETTER)] },
		);

		expect(error?.message).toBe(`'${label}' must be true or false`);
		expect(await used.control.requests()).toEqual([]);
	});
});

describe('a number', () => {
	const FIELDS: Array<[label: string, parameters: INodeParameters]> = [
		['Limit', { resource: 'extraction', operation: 'getAll', limit: '={{ $json.value }}' }],
		['Max File Size (MB)', { options: { maxFileSizeMb: '={{ $json.value }}' } }],
	];

	it.each(FIELDS.flatMap((field) => ['', null].map((value) => [...field, value] as const)))(
		'is refused where nothing gives it, and is not 0: %s, %j, %j',
		async (label, parameters, value) => {
			const { binary } = await itemWith(LETTER);

			const { error } = await used.run(
				{ binaryPropertyName: '*', ...parameters },
				{ items: [{ json: { value }, binary }] },
			);

			expect(error?.message).toMatch(new RegExp(`^'${label.replace(/[()]/g, '\\$&')}' must be a `));
			expect(await used.control.requests()).toEqual([]);
		},
	);
});

describe('an ID that is a number', () => {
	const extract = async (id: unknown) =>
		await used.run(
			{ resource: 'extraction', operation: 'extractOne', documentId: '={{ $json.id }}' },
			{ items: [{ json: { id: id as number } }] },
		);

	it.each([2 ** 53, -(2 ** 53), 1e21])('is refused where JavaScript rounds it: %s', async (id) => {
		const { error } = await extract(id);

		expect(error?.message).toBe("'Document ID' is a number with more digits than n8n keeps");
		expect(error?.description).toContain('Put it in double quotes');
		expect(await used.control.requests()).toEqual([]);
	});

	it('is taken as it is below that', async () => {
		await extract(2 ** 53 - 1);

		const [{ path }] = await used.control.requests('extractOne');
		expect(path).toContain('/documents/9007199254740991/extract');
	});
});
