import { dirname } from 'node:path';
import { sourcesIn, textOf } from './support/repository';

const NODE = 'nodes/DocumentExtraction';

/**
 * How many lines each room may have. Budgets only go down, or change with a line in the changelog that
 * says what users get for it.
 */
const BUDGETS: { [room: string]: number } = {
	credentials: 188,
	'nodes/DocumentExtraction': 168,
	actions: 1011,
	'actions/<resource>': 1089,
	'actions/files': 950,
	methods: 101,
	setup: 1147,
	messages: 514,
	waiting: 509,
	rows: 485,
	service: 2105,
	account: 1332,
	http: 1388,
};

/** The folder below the node that a file belongs to; files of operations belong to their resources. */
function roomOf(file: string): string {
	const room = dirname(file).replace(`${NODE}/`, '');
	return /^actions\/(?!files)/.test(room) ? 'actions/<resource>' : room;
}

it('no room has more lines than its budget', () => {
	const lines: { [room: string]: number } = {};
	for (const file of sourcesIn('nodes', 'credentials')) {
		const count = textOf(file).split('\n').length - 1;
		lines[roomOf(file)] = (lines[roomOf(file)] ?? 0) + count;
	}

	expect(Object.keys(lines).sort()).toEqual(Object.keys(BUDGETS).sort());
	const above = Object.entries(lines).filter(([room, count]) => count > BUDGETS[room]);
	expect(above).toEqual([]);
});
