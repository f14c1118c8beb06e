import { rm } from 'node:fs/promises';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryData, IBinaryKeyData, INodeParameters } from 'n8n-workflow';
import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node.ts';
import { BINARY_MODES, binaryItem, deleteFile, readBinary } from '../support/binary';
import { sha256, textFile, type TestFile } from '../support/files';
import { logOf } from '../support/log';
import { asTool } from '../support/n8n';
import type { NodeRun, RunOptions } from '../support/nodeEngine';
import { useService } from '../support/useService';
import { letter } from './waitingRuns';

const UPLOAD = { resource: 'document', operation: 'upload' };

describe('input files', () => {
	const mode = 'filesystem';
	const used = useService({ profile: 'borealis' });

	const itemWith = async (files: Record<string, TestFile>) => await binaryItem({ files, mode });

	const upload = async (
		items: RunOptions['items'],
		parameters: INodeParameters,
		options: RunOptions = {},
	) => await used.run({ ...UPLOAD, ...parameters }, { binaryMode: mode, items, ...options });

	const fieldsOf = ({ output }: NodeRun) =>
		output.map(({ json }) => (json.file as { field: string }).field);

	const uploadedNames = async () =>
		(await used.control.ledger()).uploads.map(({ fileName }) => fileName).sort();

	const expectNothingSent = async () => {
		expect(await used.control.requests()).toEqual([]);
	};

	describe('are chosen by their fields', () => {
		const EMAIL = {
			attachment_0: textFile('zero.txt'),
			attachment_1: textFile('one.txt'),
			data: textFile('data.txt'),
			'odd.[name]': textFile('odd.txt'),
		};

		it.each([
			['data', ['data']],
			[' attachment_1 ,, data ', ['attachment_1', 'data']],
			['attachment_*', ['attachment_0', 'attachment_1']],
			['*ta*', ['attachment_0', 'attachment_1', 'data']],
			['data, *', ['data', 'attachment_0', 'attachment_1', 'odd.[name]']],
			['odd.[*', ['odd.[name]']],
		])('%s', async (binaryPropertyName, fields) => {
			const run = await upload([await itemWith(EMAIL)], { binaryPropertyName });

			expect(run.error).toBeUndefined();
			expect(fieldsOf(run)).toEqual(fields);
			expect(await uploadedNames()).toEqual(
				fields.map((field) => EMAIL[field as keyof typeof EMAIL].fileName).sort(),
			);
		});

		it.each([
			{ files: EMAIL, said: 'files in: attachment_0, attachment_1, data, odd.[name].' },
			{ files: {}, said: 'The item has no files. Set the node before this one to download them' },
		])('and a name that is not there says which are: $said', async ({ files, said }) => {
			const { error } = await upload([await itemWith(files)], { binaryPropertyName: 'invoice' });

			expect(error?.message).toContain("Name' says 'invoice', but this item has no file there");
			expect(error?.description).toContain(said);
			await expectNothingSent();
		});

		it.each(['A'.repeat(100_000), 'https://files.example.com/a.pdf?token=SECRET123'])(
			'and a name is quoted neither at any length, nor with a secret: %#',
			async (name) => {
				const { error } = await upload([await itemWith(EMAIL)], { binaryPropertyName: name });

				expect(error?.message).toMatch(
					/^'Input Data Field Name' says '.{1,150}', but this item has no file there$/,
				);
				expect(error?.message).not.toContain('SECRET123');
			},
		);

		it('and a pattern with many asterisks is no trap', async () => {
			const files = { ['a'.repeat(500)]: textFile('a.txt') };
			const run = await upload([await itemWith(files)], {
				binaryPropertyName: `${'*a'.repeat(20)}*b`,
			});

			expect(run.output).toEqual([]);
			expect(run.hints[0].message).toContain('There is no file to upload: ');
		});

		it('and an item without files is no error, but reported, where a pattern finds none', async () => {
			const run = await upload([{ json: {} }, await itemWith({ data: textFile('data.txt') })], {
				binaryPropertyName: '*',
			});

			expect(run.output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
			expect(run.hints[0].message).toContain('There is no file to upload in item 1 of 2: ');
		});
	});

	describe('that are left out are reported', () => {
		const logos = ['logo_1', 'logo_2', 'logo_3', 'logo_4', 'logo_5'];
		const pictures = logos.map(
			(name) => [name, textFile(`${name}.png`, 'x', 'image/png')] as const,
		);
		const ATTACHMENTS = {
			...Object.fromEntries(pictures),
			invoice: textFile('invoice.pdf', 'x'.repeat(1001), 'application/pdf'),
			fax: textFile('fax', '%PDF-1.7', 'application/octet-stream'),
			mail: textFile('winmail.dat', 'x'.repeat(1000), 'application/ms-tnef'),
		};
		const PDFS = { mimeTypes: 'application/PDF' };
		const IMAGES = { mimeTypes: '"application/json; charset=utf-8", image*' };

		it.each([
			{
				fields: '*',
				options: PDFS,
				taken: ['invoice', 'fax'],
				said: /^Skipped logo_1\.png: its type is image\/png, .+ 1 more\.$/,
			},
			{
				fields: '*',
				options: IMAGES,
				taken: logos,
				said: /fax\.pdf: its type is application\/pdf/,
			},
			{
				fields: '*',
				options: { minFileSizeMb: 0.001, maxFileSizeMb: 0.001 },
				taken: ['mail'],
				said: /^Skipped logo_1\.png: it is smaller than 0\.001 MB\..+ 2 more\.$/,
			},
			// Nobody asked for these, but they may hold documents.
			{
				fields: 'invoice, logo*',
				options: {},
				taken: ['invoice', ...logos],
				said: /^Skipped fax: its field, fax, is not in 'Input Data Field Name'\. Skipped winmail\.dat/,
			},
		])('with $fields and $options', async ({ fields, options, taken, said }) => {
			const items = [await itemWith(ATTACHMENTS)];
			const parameters = { binaryPropertyName: fields, options };
			const runs: NodeRun[] = [];
			const log = await logOf(async () => void runs.push(await upload(items, parameters)));

			expect(fieldsOf(runs[0])).toEqual(taken);
			expect(runs[0].hints[0].message).toMatch(said);
			expect(log.map(({ message }) => message).join()).toContain('Document Extraction: Skipped ');
		});
	});

	/** The name and type with which a file arrives, by either method, as from any other client. */
	async function arrived(given: Partial<IBinaryData>, content: string | Buffer, field = 'data') {
		const data = Buffer.from(content);
		const { fileName, mimeType } = given;
		const items = await Promise.all(
			BINARY_MODES.map(async (mode) => {
				const item = await binaryItem({ files: { [field]: { data, fileName, mimeType } }, mode });
				Object.assign(item.binary?.[field] ?? {}, given);
				return item;
			}),
		);
		const direct = await upload([items[0]], { binaryPropertyName: field });
		const signed = await upload([items[1]], {
			binaryPropertyName: field,
			options: { uploadMethod: 'signed' },
		});

		const { name, mimeType: contentType } = direct.output[0].json.file as Record<string, string>;
		expect(signed.output[0].json.file).toMatchObject({ name, mimeType: contentType });
		const arrives = { fileName: name, contentType };
		expect((await used.control.ledger()).uploads).toMatchObject([{ contentType }, arrives]);
		// How names are written in a form is for others to decide: a standard client sends the same.
		await used.client.upload({ bytes: data, ...arrives });
		const [ours, theirs] = await used.control.requests('upload');
		expect(ours.body).toEqual(theirs.body);
		return { name, mimeType: contentType };
	}

	it.each([
		['quotation "marks".txt', 'quotation "marks".txt'],
		['letters Ærø – 請求書 😀.txt', 'letters Ærø – 請求書 😀.txt'],
		['line\r\nbreak: and\0more.txt', 'line break: and more.txt'],
		['../../etc/passwd', 'passwd.txt'],
		['C:\\Users\\me\\letter.txt', 'letter.txt'],
		['', 'data.txt'],
		// 255 bytes, and no character cut in two.
		[`a${'😀'.repeat(5000)}.txt`, `a${'😀'.repeat(62)}.txt`],
	])('arrive although their names are awkward: %j', async (fileName, name) => {
		expect(await arrived({ fileName, mimeType: 'text/plain' }, 'x')).toMatchObject({ name });
	});

	describe('whose name has no extension get that of their type', () => {
		const UUID = '0f8b6a2e-5c1d-4f7a-9b3e-2d4c6e8a0b1f';
		const UNKNOWN = 'application/octet-stream';

		it.each<{ field?: string; given: Partial<IBinaryData>; name: string }>([
			{ given: { fileName: '..' }, field: 'attachment_0', name: 'attachment_0.pdf' },
			{ given: { fileName: 'data', mimeType: UNKNOWN, fileExtension: 'bin' }, name: 'data' },
			{ given: { mimeType: 'text/plain' }, name: 'data.txt' },
			{ given: { fileName: 'notes.md', mimeType: 'text/plain' }, name: 'notes.md' },
			// A name that has one stays as it is.
			{ given: { fileName: 'map.geojson', mimeType: 'application/json' }, name: 'map.geojson' },
			// What stands after a dot may belong to the name.
			{ given: { fileName: 'Acme.com' }, name: 'Acme.com.pdf' },
			{ given: { fileName: `${UUID}.a11` }, name: `${UUID}.a11.pdf` },
		])('$given in $field: $name', async ({ field, given, name }) => {
			const file = await arrived({ mimeType: 'application/pdf', ...given }, 'x', field);
			expect(file).toMatchObject({ name });
		});
	});

	describe('whose type says nothing, or is another name of one', () => {
		const PDF = '%PDF-1.7 and so on';
		const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2]);

		it.each([
			['application/octet-stream; name="a.pdf"', 'INVOICE.PDF', 'x', 'application/pdf'],
			['application/octet-stream', 'scan', `\n\n${PDF}`, 'application/pdf'],
			['application/force-download', 'photo', JPEG, 'image/jpeg'],
			['image/jpg', 'a', 'x', 'image/jpeg'],
			['image/heic', 'photo.heif', 'x', 'image/heic'],
			['application/x-pdf', 'scan.txt', 'x', 'application/pdf'],
			['unknown/unknown', 'a.png', 'x', 'image/png'],
			// A Code node left it out.
			[undefined, 'letter.txt', 'x', 'text/plain'],
			['text/plain\r\nX-Injected: yes', 'letter.txt', 'x', 'text/plain'],
			// n8n calls a file so whose type it does not know.
			['text/plain', 'scan0001', PDF, 'application/pdf'],
			['text/plain', 'how to write %PDF.txt', PDF, 'text/plain'],
			['Application/PDF', 'a', 'x', 'application/pdf'],
			['application/pdf; charset=binary', 'a', 'x', 'application/pdf'],
			// A type that says something is believed.
			['image/png', 'a.pdf', PDF, 'image/png'],
		])('%s, %s', async (given, fileName, content, mimeType) => {
			// n8n adds txt to what it does not know.
			const about = { mimeType: given, fileName, fileExtension: 'txt' };
			const file = await arrived(about, content);
			expect(file).toMatchObject({ mimeType });
		});
	});

	describe('that are empty, or that n8n has lost', () => {
		const withoutContent = async (id: string) =>
			await rm(Container.get(BinaryDataService).getPath(id));
		const emptied = async () => await Promise.resolve();
		const LOST = 'n8n has lost the file gone.pdf';
		const EMPTY = 'gone.pdf is empty (0 bytes)';

		it.each([
			{ what: 'empty', size: 0, lose: emptied, message: EMPTY },
			// As when an execution is deleted, or a worker does not see the main's folder.
			{ what: 'small and lost', size: 5, lose: deleteFile, message: LOST },
			{ what: 'large, its content lost', size: 100_000, lose: withoutContent, message: LOST },
		])('fail alone, or stop the run before the first request: $what', async (row) => {
			const item = await itemWith({
				gone: textFile('gone.pdf', 'x'.repeat(row.size), 'application/pdf'),
				there: textFile('there.pdf', 'x', 'application/pdf'),
			});
			await row.lose(item.binary?.gone.id ?? '');
			// Filters are no reason to leave out what cannot be read.
			const options =
				row.size > 0 ? { mimeTypes: 'application/pdf', minFileSizeMb: 0.000_001 } : {};
			const parameters = { binaryPropertyName: '*', options };

			const stopped = await upload([item], parameters);
			expect(stopped.error?.message).toBe(row.message);
			expect(stopped.error?.description).toMatch(
				row.size > 0 ? /^n8n's storage says: / : /'Min File Size \(MB\)'/,
			);
			await expectNothingSent();

			const { output, errorOutput } = await upload([item], parameters, {
				onError: 'continueErrorOutput',
			});
			expect(await uploadedNames()).toEqual(['there.pdf']);
			expect(output).toHaveLength(1);
			expect(errorOutput).toMatchObject([{ json: { error: row.message } }]);
			expect(Object.keys(errorOutput[0].binary ?? {})).toEqual(['gone']);
		});
	});

	describe('whose content is not Base64', () => {
		const withContent = (data: unknown) => {
			return { data, fileName: 'a.pdf', mimeType: 'application/pdf' } as never;
		};

		it.each([
			withContent('data:application/pdf;base64,JVBERi0xLjc='),
			withContent('JVBERi0x Ljc='),
			withContent('ab+d_-gh'),
			withContent(Buffer.from('%PDF-1.7 and so on').toString('hex')),
			withContent(Buffer.from('x')),
			withContent(undefined),
			'no file at all' as never,
		])('are refused wherever they stand: %j', async (data) => {
			const message = /^The 'data' of the file (?:a\.pdf|data) is not Base64$/;

			for (const item of [{ binary: { data } }, { json: { _files: { data } } }]) {
				const binaryMode = 'binary' in item ? 'separate' : 'combined';
				const items = [{ json: {}, ...item }];
				const { error } = await upload(items, {}, { workflowSettings: { binaryMode } });
				expect(error?.message).toMatch(message);
			}
			await expectNothingSent();
		});

		it.each([
			['with line breaks', 'JVBE\r\nRi0x\n Ljc=\n', '%PDF-1.7'],
			['in the form for URLs', 'Pz8_fn5-', '???~~~'],
			['that might be hex', 'deadbeef', Buffer.from('deadbeef', 'base64')],
			['of nothing but zeros', Buffer.alloc(30).toString('base64'), '\0'.repeat(30)],
		])('but real Base64 is sent as what it stands for: %s', async (_, data, expected) => {
			await upload([{ json: {}, binary: { data: withContent(data) } }], {});

			const [{ body }] = await used.control.requests('upload');
			expect(body).toMatchObject({ parts: [{ sha256: sha256(expected) }] });
		});
	});
});

describe('input files inside the JSON, as workflows with combined binary data keep them', () => {
	const used = useService({ profile: 'atlas' });

	const workflowSettings = { binaryMode: 'combined' } as const;

	it.each(['data', '_files.data', '*'])('are found by %s', async (binaryPropertyName) => {
		const binaryMode = 'filesystem';
		const items = [await binaryItem({ files: { data: textFile('letter.txt') }, mode: binaryMode })];

		await used.run({ ...UPLOAD, binaryPropertyName }, { binaryMode, workflowSettings, items });

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

	const asAgent = async (resource: string, operation: string, keepInputFiles = false) =>
		await asTool().runNode({
			credential: used.service.credential(),
			parameters: { resource, operation, binaryPropertyName: '*', options: { keepInputFiles } },
			items: [await binaryItem({ files: { data: letter(1) } })],
		});

	it.each(['data', '*'])('are not there, and the agent reads what to do: %s', async (field) => {
		const options = {
			credential: used.service.credential(),
			parameters: { resource: 'document', operation: 'upload', binaryPropertyName: field },
		};

		const { output } = await asTool().runNode(options);
		const tool = asTool().toolContext(options);
		const [response] = await new DocumentExtraction().execute.call(tool);

		const failed = {
			error: 'An agent cannot hand files to a tool',
			message: expect.stringContaining('with Document › Upload') as string,
		};
		expect([output, response]).toMatchObject([[{ json: failed }], [{ json: failed }]]);
		expect(await used.control.requests()).toEqual([]);
	});

	it('do not reach the agent with a failure, whatever On Error says', async () => {
		const tool = asTool().toolContext({
			credential: used.service.credential({ uploadFileField: '' }),
			parameters: { resource: 'document', operation: 'upload', binaryPropertyName: 'data' },
			items: [await binaryItem({ files: { data: letter(1) } })],
			onError: 'continueErrorOutput',
		});

		const [[item]] = await new DocumentExtraction().execute.call(tool);

		expect(item.binary).toBeUndefined();
		expect(item.json).toMatchObject({
			message: expect.stringContaining('Upload File Field') as string,
			details: {},
		});
	});

	it.each([
		['document', 'upload'],
		['extraction', 'extractFromFiles'],
	])('come back to it only where the user asked for them: %s › %s', async (...operation) => {
		const runs = [await asAgent(...operation), await asAgent(...operation, true)];

		const [[without], [kept]] = runs.map(({ output }) => output);
		for (const { json } of [without, kept]) expect(json.documentId).toMatch(/^doc_/);
		expect(without.binary).toBeUndefined();
		expect(kept.binary).toBeDefined();
	});

	it('do not come back where the upload fails, as n8n may hand files on to the model', async () => {
		await used.fault('upload', { type: 'status', status: 400 });

		const { output } = await asAgent('document', 'upload');

		expect(output).toMatchObject([{ json: { error: expect.stringContaining('(400)') as string } }]);
		expect(output[0].binary).toBeUndefined();
	});
});
