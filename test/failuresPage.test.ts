import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Fault } from '../dev/service/faults';
import type { Operation } from '../dev/service/operations';
import { binaryItem, deleteFile, type FileContent } from './support/binary';
import { sample } from './support/files';
import { useVirtualService } from './support/useVirtualService';

/** What the page says that the node says is held against what the node really says. */
const PAGE = readFileSync(resolve(__dirname, '../docs/failures.md'), 'utf8');

const QUOTES = PAGE.split(/^## /m)
	.slice(1)
	.flatMap((section) => {
		const [heading, ...lines] = section.split('\n');
		const quotes = lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2));
		return quotes.map((quote) => [heading, quote] as const);
	});

const used = useVirtualService({ profile: 'atlas', extractionMs: 3_000, startMs: 2_000 });

interface Situation {
	credential?: object;
	parameters?: object;
	files?: Record<string, FileContent>;
	fault?: [Operation, Fault];
	/** Whether n8n's storage has lost the files. */
	isLost?: boolean;
}

const PDF = sample('invoice-harbour-supplies.pdf');
const LIST = { resource: 'extraction', operation: 'getAll' };
const LOGO = { data: 'logo', fileName: 'logo.png', mimeType: 'image/png' };

const refusal = (status: number): Fault => {
	return { type: 'status', status, body: { detail: 'No' } };
};

/** How to get the node to say each of the quotes. */
const situations = (): Record<string, Situation> => {
	const { test, live } = used.service.account.environments;
	return {
		'The service refused the API key (401)': { credential: { apiKey: test.keys.revoked } },
		"The credential's 'API Key' is a live key, but its 'Environment' is test": {
			credential: { apiKey: live.keys.full },
		},
		'The service cannot find what was requested (404)': {
			credential: { workflowId: live.workflows.main.id },
		},
		'The service cannot be reached': { credential: { baseUrl: 'http://127.0.0.1:9' } },
		"'Input Data Field Name' says 'data', but this item has no file there": {
			files: { attachment_0: PDF },
		},
		"The file from 'Input Data Field Name' does not come from a node before this one": {
			parameters: {
				binaryPropertyName: '={{ { id: "filesystem-v2:x", mimeType: "text/plain" } }}',
			},
		},
		"'Input Data Field Name' does not give a file with its content": {
			parameters: { binaryPropertyName: '={{ $binary.data }}' },
		},
		'There is no file to upload': { parameters: { binaryPropertyName: '*' }, files: {} },
		"Skipped logo.png: its type is image/png, not one of 'MIME Types'": {
			parameters: { binaryPropertyName: '*', options: { mimeTypes: 'application/pdf' } },
			files: { attachment_0: PDF, attachment_1: LOGO },
		},
		'n8n has lost the file invoice.pdf': {
			files: { data: { ...PDF, fileName: 'invoice.pdf' } },
			isLost: true,
		},
		'The proxy between n8n and the service asks for a user and a password (407)': {
			fault: ['upload', refusal(407)],
		},
		'The service did not accept invoice-harbour-supplies.pdf (400)': {
			fault: ['upload', refusal(400)],
		},
		'invoice-harbour-supplies.pdf is too large for the service (413)': {
			fault: ['upload', refusal(413)],
		},
		'The service received too many requests (429)': { fault: ['upload', refusal(429)] },
		'The service could not handle the request (503)': {
			parameters: LIST,
			fault: ['getExtractions', refusal(503)],
		},
		'A web page came back instead of a response from the service (502)': {
			parameters: LIST,
			fault: ['getExtractions', { type: 'html', status: 502, title: 'Bad Gateway' }],
		},
		'The outcome is unknown: the file may be there already. Look with Document › Get Many, and upload the file again only if it is missing.':
			{ fault: ['upload', { type: 'cutAfter' }] },
		'The extraction was not finished after 300 seconds': {
			credential: { finishedStatuses: 'never' },
		},
	};
};

it('lists every message on top, with the section that explains it', () => {
	const [index] = PAGE.split('\n## ');
	const rows = [...index.matchAll(/^\| (.+) \| \[(\d+)\]\(#\d+-[^)]+\) \|$/gm)].map(
		([, message, section]) => [section, message],
	);
	const missing = QUOTES.filter(
		([heading, quote]) =>
			!rows.some(
				([section, message]) => heading.startsWith(`${section}. `) && quote.startsWith(message),
			),
	);

	expect(missing).toEqual([]);
});

it.each(QUOTES)('%s: %s', async (_, quote) => {
	const { credential, parameters, files = { data: PDF }, fault, isLost } = situations()[quote];
	if (fault) await used.fault(fault[0], fault[1]);

	const binaryMode = isLost ? 'filesystem' : 'memory';
	const items = [await binaryItem({ files, mode: binaryMode })];
	if (isLost) await deleteFile(items[0].binary?.data.id ?? '');

	const { error, hints } = await used.run(
		{
			resource: 'extraction',
			operation: 'extractFromFiles',
			uploadMethod: 'direct',
			...parameters,
		},
		{ credential: credential, items, binaryMode },
	);

	const said = [error?.message, error?.description, ...hints.map(({ message }) => message)];
	expect(said.join('\n')).toContain(quote);
});
