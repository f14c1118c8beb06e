import assert from 'node:assert/strict';
import { test } from 'node:test';
import { succeeded } from '../../n8n/execution.ts';
import { dataTableRows, keptColumns } from '../rows.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const example = 'email-attachments-to-table';
const reason = 'The file is protected by a password';
const from = 'supplier@example.com';
const logo = { filename: 'logo.png', content: Buffer.from('not a document') };

const attached = async (names: string[]) =>
	await Promise.all(
		names.map(async (filename) => ({ filename, content: await sampleFile(filename) })),
	);

export default ({ n8n, service, importExample, run, refuse, executionOf, openMailbox }: Stage) => {
	test('writes one row per attachment, and one row for a document that comes twice', async () => {
		const mailbox = await openMailbox();
		await run(await importExample(example, {}, [mailbox.account]));
		const activated = await importExample(example, {}, [mailbox.account]);
		await n8n.activate(activated);
		await mailbox.untilOpened();

		const again = { filename: 'sent again.pdf', content: await sampleFile(sampleNames[0]) };
		await mailbox.deliver({
			from,
			subject: 'Our documents – Nørrebro',
			text: 'Please find them attached.',
			attachments: [logo, again, ...(await attached(sampleNames))],
		});
		const execution = succeeded(await executionOf(activated));

		assert.equal(execution.items('Extract values').length, sampleNames.length + 1);
		const rows = await dataTableRows(n8n, 'Documents');
		assert.equal(rows.length, sampleNames.length);
		await assertAllSaid(service, rows, sampleNames, keptColumns);
		for (const { sender, subject } of rows) {
			assert.match(String(sender), /supplier@example\.com/);
			assert.equal(subject, 'Our documents – Nørrebro');
		}

		await refuse('upload', reason);
		const two = sampleNames.slice(0, 2);
		await mailbox.deliver({ from, subject: 'Two more', attachments: await attached(two) });
		succeeded(await executionOf(activated, 2));

		const failed = (await dataTableRows(n8n, 'Documents')).filter(({ failure }) => failure);
		assert.deepEqual(
			failed.map(({ document, subject, fileName }) => [document, subject, fileName]),
			[[`Two more ${String(failed[0]?.fileName)}`, 'Two more', failed[0]?.fileName]],
		);
		assert.ok(two.includes(String(failed[0].fileName)));
		assert.match(String(failed[0].failure), new RegExp(reason));
	});
};
