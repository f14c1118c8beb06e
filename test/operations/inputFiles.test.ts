import { rm } from 'node:fs/promises';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryKeyData, INodeExecutionData, INodeParameters, OnError } from 'n8n-workflow';
import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node.ts';
import { binaryItem, deleteFile, itemWith, readBinary } from '../support/binary';
import { textFile, type TestFile } from '../support/files';
import { logOf } from '../support/log';
import { asTool } from '../support/n8n';
import type { NodeRun } from '../support/nodeEngine';
import { BINARY_MODES } from '../support/profiles';
import { useService } from '../support/useService';
import { letter } from './waitingRuns';

describe('input files', () => {
	// Files in memory are uploaded by everyOperation.test.ts; which are chosen does not depend on the mode.
	const mode = 'filesystem';
	const used = useService({ profile: 'cobalt' });

	const itemWith = async (files: Record<string, TestFile>) => await binaryItem({ files, mode });

	const upload = async (
		items: INodeExecutionData[],
		parameters: INodeParameters,
		onError?: OnError,
	) =>
		await used.run(
			{
				resource: 'document',
				operation: 'upload',
				uploadMethod: 'direct',
				...parameters,
			},
			{ binaryMode: mode, items, onError },
		);

	const fieldsOf = ({ output }: NodeRun) =>
		output.map(({ json }) => (json.file as { field: string }).field);

	const uploadedNames = async () =>
		(await used.control.ledger()).uploads.map(({ fileName }) => fileName).sort();

	const requestCount = async () => (await used.control.requests()).length;

	describe('are chosen by their fields', () => {
		const EMAIL = {
			attachment_0: textFile('zero.txt'),
			attachment_1: textFile('one.txt'),
			data: textFile('data.txt'),
			'odd.[name]': textFile('odd.txt'),
		};

		it.each([
			['data', ['data']],
			['data, attachment_1', ['data', 'attachment_1']],
			[' attachment_1 ,, data ', ['attachment_1', 'data']],
			['attachment_*', ['attachment_0', 'attachment_1']],
			['*ta*', ['attachment_0', 'attachment_1', 'data']],
			['data, *', ['data', 'attachment_0', 'attachment_1', 'odd.[name]']],
			['odd.[*', ['odd.[name]']],
			['*', ['attachment_0', 'attachment_1', 'data', 'odd.[name]']],
		])('%s', async (binaryPropertyName, fields) => {
			const run = await upload([await itemWith(EMAIL)], { binaryPropertyName });

			expect(run.error).toBeUndefined();
			expect(fieldsOf(run)).toEqual(fields);
			expect(await uploadedNames()).toEqual(
				fields.map((field) => EMAIL[field as keyof typeof EMAIL].fileName).sort(),
			);
		});

		it('which may differ from item to item', async () => {
			const item = await itemWith(EMAIL);
			const items = ['data', 'attachment_*'].map((field) => ({ ...item, json: { field } }));

			const run = await upload(items, { binaryPropertyName: '={{ $json.field }}' });

			expect(fieldsOf(run)).toEqual(['data', 'attachment_0', 'attachment_1']);
		});

		it.each([
			['which ones are', EMAIL, 'files in: attachment_0, attachment_1, data, odd.[name].'],
			['that there are none', {}, 'The item has no files. Enter the names of fields, '],
		])('and a name that is not there says %s', async (_, files, said) => {
			const { error } = await upload([await itemWith(files)], { binaryPropertyName: 'invoice' });

			expect(error?.message).toBe(
				"'Input Data Field Name' says 'invoice', but this item has no file there",
			);
			expect(error?.description).toContain(said);
			expect(await requestCount()).toBe(0);
		});

		it('and an item without files is no error, but reported, where a pattern finds none', async () => {
			const run = await upload([{ json: {} }, await itemWith({ data: textFile('data.txt') })], {
				binaryPropertyName: '*',
			});

			expect(run.output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
			expect(run.hints[0].message).toBe('There is no file to upload in item 1 of 2.');
		});
	});

	it.each(['pdf', '*.pdf', 'image/', 'application/pdf image/png'])(
		'are not looked for by what is no MIME type: %s',
		async (mimeTypes) => {
			const { error } = await upload([await itemWith({ data: textFile('a.pdf', 'x') })], {
				options: { mimeTypes },
			});

			expect(error?.message).toBe(`'MIME Types' has '${mimeTypes}', which is not a MIME type`);
			expect(await requestCount()).toBe(0);
		},
	);

	it('are not named at any length, nor with what a link keeps secret', async () => {
		const item = await itemWith({ data: textFile('a.pdf', 'x') });
		for (const name of ['A'.repeat(100_000), 'https://files.example.com/a.pdf?token=SECRET123']) {
			const { error } = await upload([item], { binaryPropertyName: name });

			expect(error?.message).toMatch(
				/^'Input Data Field Name' says '.+', but this item has no file there$/,
			);
			expect(error?.message.length).toBeLessThan(200);
			expect(error?.message).not.toContain('SECRET123');
		}
	});

	describe('that the filters leave out', () => {
		const ATTACHMENTS = {
			invoice: textFile('invoice.pdf', 'x'.repeat(2000), 'application/pdf'),
			scan: textFile('scan.jpg', 'x'.repeat(1000), 'image/jpeg'),
			logo: textFile('logo.png', 'x'.repeat(999), 'image/png'),
		};

		it.each([
			[{ mimeTypes: 'application/PDF' }, ['invoice'], 'Skipped scan.jpg: its type is image/jpeg'],
			[
				{ mimeTypes: '"application/json; charset=utf-8", image*' },
				['scan', 'logo'],
				'Skipped invoice.pdf: its type is application/pdf',
			],
			[{ minFileSizeMb: 0.001 }, ['invoice', 'scan'], 'Skipped logo.png: it is smaller than'],
			[{ maxFileSizeMb: 0.001 }, ['scan', 'logo'], 'Skipped invoice.pdf: it is larger than'],
		])('are not uploaded, but reported: %j', async (options, fields, report) => {
			let run: NodeRun | undefined;
			const log = await logOf(async () => {
				run = await upload([await itemWith(ATTACHMENTS)], { binaryPropertyName: '*', options });
			});

			expect(fieldsOf(run as NodeRun)).toEqual(fields);
			expect(run?.hints[0].message).toContain(report);
			expect(log.map(({ message }) => message).join()).toContain(`Document Extraction: ${report}`);
		});

		it('are counted where there are many', async () => {
			const files = Array.from({ length: 8 }, (_, index) => [`file_${index}`, textFile('', '')]);

			const run = await upload([await itemWith(Object.fromEntries(files) as typeof ATTACHMENTS)], {
				binaryPropertyName: '*',
				options: { minFileSizeMb: 0.001 },
			});

			expect(run.hints[0].message).toMatch(/^(Skipped file_\d: [^.]+\.001 MB\. ){5}And 4 more\.$/);
		});
	});

	describe('that are empty', () => {
		const withEmpty = async () =>
			await itemWith({
				letter: textFile('letter.txt'),
				nothing: textFile('nothing.pdf', '', 'application/pdf'),
			});
		const EMPTY = 'nothing.pdf is empty (0 bytes)';

		it('fail, and keep their place beside files that are uploaded', async () => {
			const { output, errorOutput } = await upload(
				[await withEmpty()],
				{ binaryPropertyName: '*' },
				'continueErrorOutput',
			);

			expect(output.map(({ json }) => (json.file as { name: string }).name)).toEqual([
				'letter.txt',
			]);
			expect(errorOutput.map(({ json }) => json.error)).toEqual([EMPTY]);
			expect(errorOutput[0].json.message).toContain("'Min File Size (MB)'");
			expect(Object.keys(errorOutput[0].binary ?? {})).toEqual(['nothing']);
		});

		it('stop the run before the first request', async () => {
			const { error, output } = await upload([await withEmpty()], { binaryPropertyName: '*' });

			expect(output).toEqual([]);
			expect(error?.message).toBe(EMPTY);
			expect((await used.control.ledger()).uploads).toEqual([]);
		});
	});

	describe('with awkward names', () => {
		const LONG = 'x'.repeat(5000);

		it.each([
			['quotation "marks".txt', 'quotation "marks".txt'],
			['letters Ærø – 請求書 😀.txt', 'letters Ærø – 請求書 😀.txt'],
			['line\r\nbreak: and\0more.txt', 'line break: and more.txt'],
			['../../etc/passwd', 'passwd'],
			['C:\\Users\\me\\letter.txt', 'letter.txt'],
			['100%22 & é=1;.txt', '100%22 & é=1;.txt'],
			['..', 'data'],
			['', 'data'],
			// 255 bytes, and no character cut in two.
			[`${LONG}.txt`, `${'x'.repeat(251)}.txt`],
			[`${'請'.repeat(120)}.pdf`, `${'請'.repeat(83)}.pdf`],
			[`${'請'.repeat(85)}`, '請'.repeat(85)],
			[`a${'😀'.repeat(80)}.pdf`, `a${'😀'.repeat(62)}.pdf`],
		])('%j arrive like those of any other client, both ways', async (given, expected) => {
			const file = textFile(given, 'content');
			const { client, service } = used;

			const items = [await itemWith({ data: file })];
			const direct = await upload(items, {});
			const signed = await upload(items, { uploadMethod: 'signed' });

			const named = { json: { file: { name: expected } } };
			expect([...direct.output, ...signed.output]).toMatchObject([named, named]);
			const { uploads } = await service.control.ledger();
			expect(uploads.find(({ method }) => method === 'signed')?.fileName).toBe(expected);

			// How names are written in a form is for others to decide: a standard client sends the same.
			const { mimeType } = direct.output[0].json.file as { mimeType: string };
			await client.upload({ bytes: file.data, fileName: expected, contentType: mimeType });
			const forms = await service.control.requests('upload');
			expect(forms[0].body).toEqual(forms[1].body);
		});
	});

	describe('whose type says nothing, or is another name of one', () => {
		const PDF = '%PDF-1.7 and so on';
		const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2]);

		it.each([
			['application/octet-stream', 'INVOICE.PDF', 'no matter', 'application/pdf'],
			['application/octet-stream; name="a.pdf"', 'a.pdf', 'no matter', 'application/pdf'],

			['application/octet-stream', 'scan', `\n\n${PDF}`, 'application/pdf'],
			[
				'binary/octet-stream',
				'report.docx',
				'PK',
				'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
			],
			['application/force-download', 'photo', JPEG, 'image/jpeg'],
			['application/x-download', 'photo.jpeg', 'x', 'image/jpeg'],
			['application/x-msdownload', 'a.tif', 'x', 'image/tiff'],
			['unknown/unknown', 'a.png', 'x', 'image/png'],
			['', 'a.pdf', 'x', 'application/pdf'],
			['application/octet-stream', 'noise.bin', 'x', 'application/octet-stream'],
			// n8n calls a file so whose type it does not know.
			['text/plain', 'scan0001', PDF, 'application/pdf'],
			['text/plain', 'invoice.pdf', PDF, 'application/pdf'],
			['text/plain', 'how to write %PDF.txt', PDF, 'text/plain'],
			['text/plain', 'invoice.pdf', 'no PDF at all', 'text/plain'],
			['text/plain', 'table.csv', 'a,b', 'text/plain'],
			['text/xml', 'invoice.xml', '<a/>', 'text/xml'],
			['text/markdown', 'notes.md', '# a', 'text/markdown'],
			['Application/PDF', 'a', 'x', 'application/pdf'],
			['application/x-pdf', 'a', PDF, 'application/pdf'],
			['application/acrobat', 'a.pdf', 'x', 'application/pdf'],
			['image/jpg', 'a', JPEG, 'image/jpeg'],
			['image/jpg', 'a.jpg', 'x', 'image/jpeg'],
			// A type that says something is believed.
			['application/pdf', 'a.txt', 'x', 'application/pdf'],
			['image/png', 'a.pdf', PDF, 'image/png'],
			['message/rfc822', 'forwarded.eml', 'x', 'message/rfc822'],
		])('%s, %s', async (mimeType, fileName, data, expected) => {
			const file = { fileName, mimeType, data: Buffer.from(data as string) };

			const { output } = await upload([await itemWith({ file })], { binaryPropertyName: '*' });

			const { uploads } = await used.control.ledger();
			expect(uploads.map(({ contentType }) => contentType)).toEqual([expected]);
			expect(output).toMatchObject([{ json: { file: { mimeType: expected } } }]);
		});

		it('are filtered by what they are, in storage and in memory', async () => {
			const files = {
				a: textFile('INVOICE.PDF', 'x', 'application/octet-stream'),
				b: textFile('scan', PDF, 'application/octet-stream'),
				c: textFile('other', 'x', 'application/octet-stream'),
				d: textFile('old', PDF, 'application/x-pdf'),
			};
			for (const binaryMode of BINARY_MODES) {
				const items = [await binaryItem({ files, mode: binaryMode })];
				const run = await upload(items, {
					binaryPropertyName: '*',
					options: { mimeTypes: 'application/pdf' },
				});

				expect(fieldsOf(run)).toEqual(['a', 'b', 'd']);
				expect(run.hints[0].message).toContain('Skipped other: its type is application/octet-');
			}
		});
	});

	describe('whose name has no extension', () => {
		const named = async (binary: object, field = 'data') => {
			const item = await itemWith({ [field]: textFile('', 'x', 'application/pdf') });
			Object.assign(item.binary?.[field] ?? {}, binary);
			const { output } = await upload([item], { binaryPropertyName: field });
			return (output[0].json.file as { name: string }).name;
		};
		const UUID = '0f8b6a2e-5c1d-4f7a-9b3e-2d4c6e8a0b1f';

		it.each([
			[{ fileName: undefined }, 'data', 'data.pdf'],
			[{ fileName: 'data' }, 'data', 'data.pdf'],
			[{ fileName: '..' }, 'attachment_0', 'attachment_0.pdf'],
			[{ fileName: UUID }, 'data', `${UUID}.pdf`],
			[
				{ fileName: 'data', mimeType: 'application/octet-stream', fileExtension: 'bin' },
				'data',
				'data',
			],
			[{ fileName: undefined, mimeType: 'text/plain', fileExtension: 'txt' }, 'data', 'data.txt'],
			[{ fileName: undefined, mimeType: 'text/plain' }, 'data', 'data'],
			[{ fileName: 'invoice' }, 'data', 'invoice.pdf'],
			// A name that has one stays as it is.
			[{ fileName: 'scan.PDF' }, 'data', 'scan.PDF'],
			[{ fileName: 'get.aspx' }, 'data', 'get.aspx'],
			[{ fileName: 'archive.tar' }, 'data', 'archive.tar'],
		])('%j in the field %s gets that of its type: %s', async (binary, field, expected) => {
			expect(await named(binary, field)).toBe(expected);
		});
	});

	describe('that n8n has lost', () => {
		/** As when an execution is deleted, or a worker does not see the main's folder. */
		const deleted = deleteFile;
		const descriptionLeft = async (id: string) =>
			await rm(Container.get(BinaryDataService).getPath(id));
		const SIZES = { small: 5, large: 100_000 };

		const withGone = async (lose: typeof deleteFile, size: keyof typeof SIZES) => {
			const text = 'x'.repeat(SIZES[size]);
			const item = await itemWith({
				gone: textFile('gone.pdf', text, 'application/pdf'),
				there: textFile('there.pdf', text, 'application/pdf'),
			});
			await lose(item.binary?.gone.id ?? '');
			return item;
		};

		const WAYS = [
			[deleted, 'small'],
			[deleted, 'large'],
			[descriptionLeft, 'small'],
			[descriptionLeft, 'large'],
		] as const;

		it.each(WAYS)('fail alone, before anything is sent of them: %p, %s', async (lose, size) => {
			const { output, errorOutput } = await upload(
				[await withGone(lose, size)],
				{
					binaryPropertyName: '*',
					options: { mimeTypes: 'application/pdf', minFileSizeMb: 0.000_001 },
				},
				'continueErrorOutput',
			);

			expect(await uploadedNames()).toEqual(['there.pdf']);
			expect(output).toHaveLength(1);
			expect(errorOutput.map(({ json }) => json.error)).toEqual(['n8n has lost the file gone.pdf']);
			expect(Object.keys(errorOutput[0].binary ?? {})).toEqual(['gone']);
		});

		it('stop the run before the first request', async () => {
			const item = await withGone(deleted, 'small');

			const { error } = await upload([item], { binaryPropertyName: 'gone' });

			expect(error?.message).toBe('n8n has lost the file gone.pdf');
			expect(error?.description).toMatch(/^n8n's storage says: File not found\. Run the workflow/);
			expect(await requestCount()).toBe(0);
		});
	});

	describe('whose content is not Base64', () => {
		const PARAMETERS = { resource: 'document', operation: 'upload', uploadMethod: 'direct' };
		const withContent = (data: unknown) => ({
			data,
			fileName: 'a.pdf',
			mimeType: 'application/pdf',
		});
		const text = withContent('%PDF-1.7') as never;

		it.each<[unknown]>([
			[withContent('%PDF-1.7')],
			[withContent('data:application/pdf;base64,JVBERi0xLjc=')],
			[withContent(Buffer.from('x'))],
			[withContent({ type: 'Buffer', data: [1, 2] })],
			[withContent([1, 2])],
			[withContent(7)],
			[withContent(undefined)],
			// No files at all.
			['text'],
			[7],
			[true],
			[['a.pdf']],
		])('%j is refused in the item', async (file) => {
			const items = [{ json: {}, binary: { data: file } as never }];

			const { error } = await used.run(PARAMETERS, { items });

			expect(error?.message).toMatch(/^The 'data' of the file (a\.pdf|data) is not Base64$/);
			expect(await requestCount()).toBe(0);
		});

		it.each([
			['an expression gives it', '={{ $json.file }}', { file: text }],
			['it stands in the JSON', 'data', { _files: { data: text } as never }],
		])('is refused in the same words where %s', async (_, binaryPropertyName, json) => {
			const { error } = await used.run(
				{ ...PARAMETERS, binaryPropertyName },
				{ workflowSettings: { binaryMode: 'combined' }, items: [{ json }] },
			);

			expect(error?.message).toBe("The 'data' of the file a.pdf is not Base64");
			expect(await requestCount()).toBe(0);
		});
	});

	it.each([
		['a harmless type where theirs is not one', 'text/plain\r\nX-Injected: yes'],
		['a type where a Code node left it out', undefined],
	])('have %s', async (_, mimeType) => {
		const item = await itemWith({ data: textFile('letter.txt', 'text') });
		Object.assign(item.binary?.data ?? {}, { mimeType });

		await upload([item], {});

		const { uploads } = await used.control.ledger();
		expect(uploads).toMatchObject([{ contentType: 'text/plain', size: 4 }]);
	});
});

describe('input files inside the JSON, as workflows with combined binary data keep them', () => {
	const used = useService({ profile: 'atlas' });

	const UPLOAD = { resource: 'document', operation: 'upload', uploadMethod: 'direct' };
	const workflowSettings = { binaryMode: 'combined' } as const;

	it.each(['data', '_files.data', '*'])('are found by %s', async (binaryPropertyName) => {
		const mode = 'filesystem';
		const items = [await binaryItem({ files: { data: textFile('letter.txt') }, mode })];

		await used.run(
			{ ...UPLOAD, binaryPropertyName },
			{ binaryMode: mode, workflowSettings, items },
		);

		const { uploads } = await used.control.ledger();
		expect(uploads).toMatchObject([{ fileName: 'letter.txt', size: 10 }]);
	});

	it.each(BINARY_MODES)(
		'leave by the error output with the item that failed, in %s',
		async (mode) => {
			await used.fault('upload', { type: 'status', status: 400 }, { skip: 1 });
			const item = async (name: string) =>
				await binaryItem({ json: { name }, files: { data: textFile(name) }, mode });

			const { output, errorOutput } = await used.run(UPLOAD, {
				binaryMode: mode,
				workflowSettings,
				onError: 'continueErrorOutput',
				items: [await item('good.txt'), await item('bad.txt')],
			});

			expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
			expect(errorOutput).toMatchObject([{ json: { name: 'bad.txt' }, pairedItem: { item: 1 } }]);
			const [{ json, binary }] = errorOutput;
			const files = { ...(json._files as IBinaryKeyData | undefined), ...binary };
			expect(String(await readBinary({ json: {}, binary: files }, 'data'))).toBe('bad.txt');
		},
	);
});

describe('input files that an agent asks for', () => {
	const used = useService({ profile: 'atlas' });

	it.each(['data', '*'])('are not there, and the agent reads what to do: %s', async (field) => {
		const options = {
			credential: used.service.credential(),
			parameters: { resource: 'document', operation: 'upload', binaryPropertyName: field },
		};

		const { output } = await asTool().runNode(options);
		const tool = asTool().toolContext(options);
		const [response] = await new DocumentExtraction().execute.call(tool);

		for (const { json } of [...output, ...response]) {
			expect(json).toMatchObject({
				error: 'The item has no files: an agent cannot hand files to a tool',
				message: expect.stringContaining('with Document › Upload'),
			});
		}
		expect([output, response].map(({ length }) => length)).toEqual([1, 1]);
		expect(await used.control.requests()).toEqual([]);
	});

	const asAgent = async (resource: string, operation: string, keepInputFiles: boolean) =>
		await asTool().runNode({
			credential: used.service.credential(),
			parameters: { resource, operation, binaryPropertyName: '*', options: { keepInputFiles } },
			items: [await itemWith(letter(1))],
		});

	it.each([
		['document', 'upload', false],
		['document', 'upload', true],
		['extraction', 'extractFromFiles', false],
		['extraction', 'extractFromFiles', true],
	])(
		'come back to it only where the user asked for them: %s › %s, %s',
		async (resource, operation, isKept) => {
			const { output } = await asAgent(resource, operation, isKept);

			expect(output).toMatchObject([{ json: { documentId: expect.any(String) as string } }]);
			expect(output[0].binary !== undefined).toBe(isKept);
		},
	);

	it('do not come back to it where the upload fails, as n8n may hand files on to the model', async () => {
		await used.fault('upload', { type: 'status', status: 400 });

		const { output } = await asAgent('document', 'upload', false);

		expect(output).toMatchObject([{ json: { error: expect.stringContaining('(400)') as string } }]);
		expect(output[0].binary).toBeUndefined();
	});
});
