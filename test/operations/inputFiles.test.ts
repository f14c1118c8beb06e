import { rm } from 'node:fs/promises';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryKeyData, INodeExecutionData, INodeParameters, OnError } from 'n8n-workflow';
import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node.ts';
import { BINARY_MODES, binaryItem, deleteFile, itemWith, readBinary } from '../support/binary';
import { sha256, textFile, type TestFile } from '../support/files';
import { logOf } from '../support/log';
import { asTool } from '../support/n8n';
import type { NodeRun } from '../support/nodeEngine';
import { useService } from '../support/useService';
import { letter } from './waitingRuns';

const UPLOAD = { resource: 'document', operation: 'upload' };

describe('input files', () => {
	// Files in memory are uploaded by everyOperation.test.ts; which are chosen does not depend on the mode.
	const mode = 'filesystem';
	const used = useService({ profile: 'cobalt' });

	const itemWith = async (files: Record<string, TestFile>) => await binaryItem({ files, mode });

	const upload = async (
		items: INodeExecutionData[],
		parameters: INodeParameters,
		onError?: OnError,
	) => await used.run({ ...UPLOAD, ...parameters }, { binaryMode: mode, items, onError });

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

		it.each([
			['which ones are', EMAIL, 'files in: attachment_0, attachment_1, data, odd.[name].'],
			[
				'that there are none',
				{},
				'The item has no files. If a trigger or node just before should get them, set it to download attachments or files. If a node in between has dropped them, connect the node that has them directly to this one. ',
			],
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
			expect(run.hints[0].message).toBe(
				"There is no file to upload in item 1 of 2: no field that contains a file matches 'Input Data Field Name'. Compare it with the fields in the input or, if the input has no files, have an earlier node download them. If there were none to download, as with an email without attachments, nothing is wrong.",
			);
		});
	});

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
	});

	describe('that are beside those that are taken', () => {
		const ofMail = (...names: string[]) =>
			Object.fromEntries(names.map((name, index) => [`attachment_${index}`, textFile(name)]));

		it('are named in a hint, as they may hold documents', async () => {
			const items = [await itemWith(ofMail('invoice.pdf', 'winmail.dat', 'forwarded.eml'))];

			const { output, hints } = await upload(items, { binaryPropertyName: 'attachment_0' });

			expect(output).toHaveLength(1);
			expect(hints[0].message).toBe(
				"Skipped winmail.dat: its field, attachment_1, is not in 'Input Data Field Name'. Skipped forwarded.eml: its field, attachment_2, is not in 'Input Data Field Name'.",
			);
		});

		it('are named before images, of which an email may have many', async () => {
			const logos = Array.from({ length: 6 }, (_, n) => textFile(`logo${n}.png`, 'x', 'image/png'));
			const winmail = textFile('winmail.dat', 'x', 'application/ms-tnef');
			const pdf = textFile('invoice.pdf', 'x', 'application/pdf');
			const files = Object.fromEntries([...logos, winmail, pdf].map((file, n) => [`a_${n}`, file]));

			const { hints } = await upload([await itemWith(files)], {
				binaryPropertyName: '*',
				options: { mimeTypes: 'application/pdf' },
			});

			expect(hints[0].message).toMatch(/^Skipped winmail\.dat: its type is application\/ms-tnef/);
			expect(hints[0].message).toMatch(/And 2 more\.$/);
		});
	});

	describe('with awkward names', () => {
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
			[`a${'😀'.repeat(5000)}.pdf`, `a${'😀'.repeat(62)}.pdf`],
		])('%j arrive like those of any other client, both ways', async (given, expected) => {
			const file = textFile(given, 'content');
			const { client, service } = used;

			const items = [await itemWith({ data: file })];
			const direct = await upload(items, {});
			const signed = await upload(items, { options: { uploadMethod: 'signed' } });

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
		const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

		it.each([
			['application/octet-stream', 'INVOICE.PDF', 'no matter', 'application/pdf'],
			['application/octet-stream; name="a.pdf"', 'a.pdf', 'no matter', 'application/pdf'],
			['application/octet-stream', 'scan', `\n\n${PDF}`, 'application/pdf'],
			['binary/octet-stream', 'report.docx', 'PK', DOCX],
			['application/force-download', 'photo', JPEG, 'image/jpeg'],
			['application/x-download', 'photo.jpeg', 'x', 'image/jpeg'],
			['application/x-msdownload', 'a.tif', 'x', 'image/tiff'],
			['unknown/unknown', 'a.png', 'x', 'image/png'],
			['', 'a.pdf', 'x', 'application/pdf'],
			// A Code node left it out.
			[undefined, 'letter.txt', 'x', 'text/plain'],
			['text/plain\r\nX-Injected: yes', 'letter.txt', 'x', 'text/plain'],
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
			const item = await itemWith({ data: { ...textFile(fileName), data: Buffer.from(data) } });
			Object.assign(item.binary?.data ?? {}, { mimeType });

			const { output } = await upload([item], {});

			const { uploads } = await used.control.ledger();
			expect(uploads.map(({ contentType }) => contentType)).toEqual([expected]);
			expect(output).toMatchObject([{ json: { file: { mimeType: expected } } }]);
		});

		it.each(BINARY_MODES)('are filtered by what they are, in %s', async (binaryMode) => {
			const files = {
				a: textFile('INVOICE.PDF', 'x', 'application/octet-stream'),
				b: textFile('scan', PDF, 'application/octet-stream'),
				c: textFile('other', 'x', 'application/octet-stream'),
				d: textFile('old', PDF, 'application/x-pdf'),
			};
			const options = { mimeTypes: 'application/pdf' };

			const items = [await binaryItem({ files, mode: binaryMode })];
			const run = await upload(items, { binaryPropertyName: '*', options });

			expect(fieldsOf(run)).toEqual(['a', 'b', 'd']);
			expect(run.hints[0].message).toContain('Skipped other: its type is application/octet-');
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
			[{ fileName: 'scan.tiff' }, 'data', 'scan.tiff'],
			[{ fileName: 'map.geojson', mimeType: 'application/json' }, 'data', 'map.geojson'],
			[{ fileName: 'model.step', mimeType: 'model/step' }, 'data', 'model.step'],
			// What stands after a dot may belong to the name.
			[{ fileName: 'Rechnung Nr.A12' }, 'data', 'Rechnung Nr.A12.pdf'],
			[{ fileName: 'Acme.com' }, 'data', 'Acme.com.pdf'],
			[{ fileName: `${UUID}.a11` }, 'data', `${UUID}.a11.pdf`],
			[{ fileName: 'get.aspx' }, 'data', 'get.aspx.pdf'],
			[
				{ fileName: 'Nr.A12', mimeType: 'application/octet-stream', fileExtension: 'pdf' },
				'data',
				'Nr.A12.pdf',
			],
		])('%j in the field %s gets that of its type: %s', async (binary, field, expected) => {
			expect(await named(binary, field)).toBe(expected);
		});
	});

	describe('that are empty, or that n8n has lost', () => {
		const descriptionLeft = async (id: string) =>
			await rm(Container.get(BinaryDataService).getPath(id));
		const LOST = 'n8n has lost the file gone.pdf';
		// They are no reason to leave out what cannot be read.
		const FILTERS = { mimeTypes: 'application/pdf', minFileSizeMb: 0.000_001 };

		it.each([
			{ what: 'empty', size: 0, lose: undefined, message: 'gone.pdf is empty (0 bytes)' },
			// As when an execution is deleted, or a worker does not see the main's folder.
			{ what: 'small', size: 5, lose: deleteFile, message: LOST },
			{ what: 'large', size: 100_000, lose: deleteFile, message: LOST },
			{ what: 'small, described', size: 5, lose: descriptionLeft, message: LOST },
			{ what: 'large, described', size: 100_000, lose: descriptionLeft, message: LOST },
		])(
			'fail alone, or stop the run before the first request: $what',
			async ({ size, lose, message }) => {
				const item = await itemWith({
					gone: textFile('gone.pdf', 'x'.repeat(size), 'application/pdf'),
					there: textFile('there.pdf', 'x', 'application/pdf'),
				});
				await lose?.(item.binary?.gone.id ?? '');
				const parameters = { binaryPropertyName: '*', options: lose ? FILTERS : {} };

				const stopped = await upload([item], parameters);
				expect(stopped.error?.message).toBe(message);
				expect(stopped.error?.description).toMatch(
					lose ? /^n8n's storage says: / : /'Min File Size \(MB\)'/,
				);
				expect(await requestCount()).toBe(0);

				const { output, errorOutput } = await upload([item], parameters, 'continueErrorOutput');
				expect(await uploadedNames()).toEqual(['there.pdf']);
				expect(output).toHaveLength(1);
				expect(errorOutput.map(({ json }) => json.error)).toEqual([message]);
				expect(Object.keys(errorOutput[0].binary ?? {})).toEqual(['gone']);
			},
		);
	});

	describe('whose content is not Base64', () => {
		const withContent = (data: unknown) => {
			return { data, fileName: 'a.pdf', mimeType: 'application/pdf' } as never;
		};
		const refused = async (item: object) => {
			const binaryMode = 'binary' in item ? 'separate' : 'combined';
			const items = [{ json: {}, ...item }];
			const { error } = await used.run(UPLOAD, { items, workflowSettings: { binaryMode } });
			expect(await requestCount()).toBe(0);
			return error?.message;
		};

		it.each([
			['%PDF-1.7'],
			['data:application/pdf;base64,JVBERi0xLjc='],
			['Dear Sir or Madam, this is no file'],
			['Total'],
			['JVBERi0x Ljc='],
			['JVBERi0xLjc'],
			['JVBERi0xLjc=='],
			['JVBERi0xLjcK===='],
			['ab+d_-gh'],
			[Buffer.from('%PDF-1.7 and so on').toString('hex')],
			['550e8400-e29b-41d4-a716-446655440000'],
			[Buffer.from('x')],
			[{ type: 'Buffer', data: [1, 2] }],
			[[1, 2]],
			[7],
			[undefined],
		])('%j is refused wherever it stands', async (content) => {
			const file = withContent(content);
			const message = "The 'data' of the file a.pdf is not Base64";

			expect(await refused({ binary: { data: file } })).toBe(message);
			expect(await refused({ json: { _files: { data: file } } })).toBe(message);
		});

		it.each([
			['with line breaks', 'JVBE\r\nRi0x\n Ljc=\n', '%PDF-1.7'],
			['in the form for URLs', 'Pz8_fn5-', '???~~~'],
			['of nothing but zeros', Buffer.alloc(30).toString('base64'), '\0'.repeat(30)],
		])('but real Base64 is sent as what it stands for: %s', async (_, data, expected) => {
			await upload([{ json: {}, binary: { data: withContent(data) } }], {});

			const [{ body }] = await used.control.requests('upload');
			expect(body).toMatchObject({ parts: [{ sha256: sha256(expected) }] });
		});

		it.each(['text', 7, true, ['a.pdf']])('nor is that of %j, which is no file', async (file) => {
			expect(await refused({ binary: { data: file } })).toBe(
				"The 'data' of the file data is not Base64",
			);
		});
	});
});

describe('input files inside the JSON, as workflows with combined binary data keep them', () => {
	const used = useService({ profile: 'atlas' });

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
				error: 'An agent cannot hand files to a tool',
				message: expect.stringContaining('with Document › Upload'),
			});
		}
		expect([output, response].map(({ length }) => length)).toEqual([1, 1]);
		expect(await used.control.requests()).toEqual([]);
	});

	const asAgent = async (resource: string, operation: string, keepInputFiles = false) =>
		await asTool().runNode({
			credential: used.service.credential(),
			parameters: { resource, operation, binaryPropertyName: '*', options: { keepInputFiles } },
			items: [await itemWith(letter(1))],
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

	it('do not come back to it where the upload fails, as n8n may hand files on to the model', async () => {
		await used.fault('upload', { type: 'status', status: 400 });

		const { output } = await asAgent('document', 'upload');

		expect(output).toMatchObject([{ json: { error: expect.stringContaining('(400)') as string } }]);
		expect(output[0].binary).toBeUndefined();
	});
});
