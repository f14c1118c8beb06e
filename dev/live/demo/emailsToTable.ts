import { readExample } from '../../n8n/example.ts';
import { chain, columnWidth, type WorkflowFile } from '../../n8n/workflow.ts';
import { emailNodes } from '../stage/emails.ts';

/** Not the example's own name: whoever imports that one, too, can tell them apart. */
export const demoName = 'Demo: email attachments to a table';

/** Not the example's own table either: that one may get other columns. */
export const demoTable = 'Demo documents';

const trigger = 'New email';

const note = `## ${demoName}
Each PDF that arrives by email becomes a row of an n8n data table, with the sender and the subject.

**In this demo** there is no mailbox: *New email* makes two emails of the sample documents. Choose **Execute workflow**. The table *${demoTable}* is under **Data tables** on the overview page.

To use a credential of your own, choose it in *Extract values*; it needs *Upload File Field*, and what Check Setup finds for *Set Up One Row per Document*.`;

/** The README's first example without a mailbox: one click creates the table and fills it from a folder. */
export async function emailsToTable(folder: string): Promise<WorkflowFile> {
	const example = await readExample('email-attachments-to-table', {
		'Save row': { dataTableId: { __rl: true, mode: 'name', value: demoTable } },
	});
	const [start, readFiles, emails] = emailNodes(folder);
	const { nodes, connections } = chain(demoName, [start, readFiles, { ...emails, name: trigger }]);
	const kept = example.nodes
		.filter(({ name }) => name !== trigger)
		.map((node) =>
			node.name === 'Sticky note'
				? { ...node, parameters: { ...node.parameters, content: note } }
				: node,
		);
	const inFront = nodes.map((node, index): (typeof nodes)[number] => ({
		...node,
		position: [(index - nodes.length + 1) * columnWidth, 0],
	}));
	return {
		...example,
		name: demoName,
		nodes: [...kept, ...inFront],
		connections: { ...example.connections, ...connections },
	};
}
