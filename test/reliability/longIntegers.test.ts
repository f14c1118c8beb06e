import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { parsedJson, roundedNumberIn } from '../../nodes/DocumentExtraction/http/response';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { useService } from '../support/useService';

const ID = '12345678901234567891';

describe('JSON whose numbers have more digits than JavaScript keeps', () => {
	it.each<[string, unknown]>([
		[`{"id":${ID}}`, { id: ID }],
		[`[-${ID}, ${ID}\n,\t${ID}]`, [`-${ID}`, ID, ID]],
		[ID, ID],
		['{"id":9007199254740991}', { id: Number.MAX_SAFE_INTEGER }],
		['{"id":9007199254740993}', { id: '9007199254740993' }],
		[`{"id":"${ID}","${ID}":1}`, { id: ID, [ID]: 1 }],
		[`["a \\" : ${ID} ,\\\\", ${ID}]`, [`a " : ${ID} ,\\`, ID]],
		[`["\\\\\\" ,${ID},", "${ID}", ${ID}]`, [`\\" ,${ID},`, ID, ID]],
		['[0.1234567890123456789, 1e1234567890123456]', ['0.1234567890123456789', Infinity]],
		[`[${ID}.0, -${ID}e2]`, [`${ID}.0`, `-${ID}e2`]],
		[
			'{"total":1234567890123456.78,"tax":-1.234567890123456789e-7}',
			{ total: '1234567890123456.78', tax: '-1.234567890123456789e-7' },
		],
		// As other programs print JavaScript's numbers: with 17 digits, or with all that they have.
		['[0.30000000000000004, 0.10000000000000001, 100.00000000000000000]', [0.1 + 0.2, 0.1, 100]],
		['0.1000000000000000055511151231257827021181583404541015625', 0.1],
	])('keeps the digits of %s', (text, expected) => {
		expect(parsedJson(text)).toEqual(expected);
	});

	it.each(['', '{', `[${ID}`, `{"a":0${ID}}`, `[+${ID}]`, `[ID, ${ID}]`, '\ufeff1'])(
		'is no JSON where it was none before: %s',
		(text) => expect(parsedJson(text)).toBeUndefined(),
	);

	it.each([
		['escapes', '\\n'],
		['quotation marks', '\\"'],
		['backslashes', '\\\\'],
	])('reads a text with millions of %s beside a long number', (_, sign) => {
		const length = 9_000_000;

		const json = parsedJson(`{"text":"${sign.repeat(length)}","id":${ID}}`) as { text: string };

		expect(json).toEqual({ text: expect.any(String) as string, id: ID });
		expect(json.text).toHaveLength(length);
	});

	const anyCharacter = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
	const json = fc.oneof(
		fc.json({ maxDepth: 4, stringUnit: anyCharacter }),
		fc
			.jsonValue({ maxDepth: 4, stringUnit: fc.constantFrom('"', '\\', ',', ':', ' ', '1', ID) })
			.map((value) => JSON.stringify(value, undefined, 1)),
	);

	it('is read as JSON.parse reads it but for those integers, wherever they stand', () => {
		const long = fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n });
		fc.assert(
			fc.property(json, long, fc.constantFrom('', '-'), (text, id, sign) => {
				const [before, after] = parsedJson(`[${text}, ${sign}${id}]`) as unknown[];
				expect(after).toBe(`${sign}${id}`);
				const isRounded = roundedNumberIn(text) !== undefined;
				expect(before).toStrictEqual(isRounded ? parsedJson(text) : JSON.parse(text));
			}),
			{ numRuns: 500 },
		);
	});
});

describe('an ID that is an integer longer than a number', () => {
	const used = useService({ profile: 'atlas' });

	it('reaches the output, and the service, with all of its digits', async () => {
		const answer = `{"document_id": ${ID}, "size": 12}`;
		await used.fault('upload', { type: 'statusAfter', status: 201, body: answer });

		const { error, output } = await used.run(
			{ resource: 'document', operation: 'upload' },
			{ items: [await binaryItem({ files: { data: textFile('letter.txt') } })] },
		);
		const id = String(output[0].json.documentId);
		const extraction = { resource: 'extraction', documentId: id, documentIds: id };
		await used.run({ ...extraction, operation: 'extractOne' });
		await used.run({ ...extraction, operation: 'extractDocuments' });

		expect(error).toBeUndefined();
		expect(output[0].json).toMatchObject({
			documentId: ID,
			response: { document_id: ID, size: 12 },
		});
		const requests = await used.control.requests();
		expect(requests.map(({ path }) => path).join(' ')).toContain(`/documents/${ID}/extract`);
		expect(requests.map(({ body }) => body)).toContainEqual({ document_ids: [ID] });
	});

	it.each<[string, INodeParameters, object]>([
		[
			'Upload URL Body',
			{ resource: 'document', operation: 'createUploadUrl', fileName: 'letter.txt' },
			{ uploadUrlBody: `{"a": ${ID}}` },
		],
	])('is refused in the JSON of %s before anything is sent', async (_, entered, credential) => {
		const { error } = await used.run({ resource: 'extraction', ...entered }, { credential });

		expect(error?.message).toContain(`contains ${ID}, a number with more digits`);
		expect(await used.control.requests()).toEqual([]);
	});
});
