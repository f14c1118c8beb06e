const node = '^nodes/DocumentExtraction';
const operationFile = `${node}/actions/.+\\.operation\\.ts$`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			name: 'no-circle-of-files',
			comment: 'Files that import each other, types included, can only be understood together.',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		{
			name: 'no-circle-of-rooms',
			comment: 'What several parts of dev/ share has a folder of its own there, e.g. dev/machine.',
			severity: 'error',
			scope: 'folder',
			from: { path: '^dev/' },
			to: { circular: true },
		},
		// Imports of the node run one way: node → methods → actions → setup → messages → waiting → rows → service → account → http.
		{
			name: 'http-knows-nothing-of-the-service',
			severity: 'error',
			from: { path: `${node}/http/` },
			to: { path: `${node}/`, pathNot: `${node}/http/` },
		},
		{
			name: 'actions-know-no-lists',
			severity: 'error',
			from: { path: `${node}/actions/` },
			to: { path: `${node}/methods/` },
		},
		{
			name: 'setup-knows-rows-and-the-service-only',
			severity: 'error',
			from: { path: `${node}/setup/` },
			to: {
				path: `${node}/`,
				pathNot: `${node}/(setup|messages|waiting|rows|service|account|http)/`,
			},
		},
		{
			name: 'messages-know-facts-only',
			comment:
				'Of the rooms below, messages/ imports types, and by value only what texts are made of: labels of fields, and text that is safe to show.',
			severity: 'error',
			from: { path: `${node}/messages/` },
			to: {
				path: `${node}/`,
				pathNot: `${node}/(messages/|account/(credential|apiDetails)\\.ts$|http/redact\\.ts$)`,
				dependencyTypesNot: ['type-only'],
			},
		},
		{
			name: 'messages-know-nothing-of-the-node',
			severity: 'error',
			from: { path: `${node}/messages/` },
			to: { path: `${node}/`, pathNot: `${node}/(messages|waiting|rows|service|account|http)/` },
		},
		{
			name: 'rows-know-the-service-only',
			severity: 'error',
			from: { path: `${node}/rows/` },
			to: { path: `${node}/`, pathNot: `${node}/(rows|service|account|http)/` },
		},
		{
			name: 'service-knows-nothing-of-the-node',
			severity: 'error',
			from: { path: `${node}/service/` },
			to: { path: `${node}/`, pathNot: `${node}/(service|account|http)/` },
		},
		{
			name: 'account-knows-nothing-of-the-calls',
			severity: 'error',
			from: { path: `${node}/account/` },
			to: { path: `${node}/`, pathNot: `${node}/(account|http)/` },
		},
		{
			name: 'waiting-knows-nothing-of-the-node',
			severity: 'error',
			from: { path: `${node}/waiting/` },
			to: { path: `${node}/`, pathNot: `${node}/(waiting|rows|service|account|http)/` },
		},
		{
			name: 'node-is-imported-by-none-of-its-rooms',
			severity: 'error',
			from: { path: `${node}/[^/]+/` },
			to: { path: `${node}/[^/]+\\.ts$` },
		},
		{
			name: 'operations-stand-alone',
			comment: 'What two operations need is in actions/, in a file of its own.',
			severity: 'error',
			from: { path: operationFile },
			to: { path: operationFile },
		},
		{
			name: 'service-stands-alone',
			comment: 'The tests build the service anew when a file in its folder has changed.',
			severity: 'error',
			from: { path: '^dev/service/' },
			to: { path: '^(nodes|credentials|test|dev)/', pathNot: '^dev/service/' },
		},
		{
			name: 'package-stands-alone',
			comment: 'What is published imports nothing of the tests and tools.',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { path: '^(dev|test)/' },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: 'node_modules|[.]cache' },
		tsPreCompilationDeps: true,
	},
};
