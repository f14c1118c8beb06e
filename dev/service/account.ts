import { createHash } from 'node:crypto';
import type { ColumnType, Environment, WorkflowPlan } from './model.ts';
import type { Scope } from './operations.ts';
import type { Profile } from './profiles/profile.ts';

const keyScopes = {
	full: ['read', 'upload', 'extract'],
	readOnly: ['read'],
	noExtract: ['read', 'upload'],
	revoked: ['read', 'upload', 'extract'],
} satisfies Record<string, Scope[]>;

export type KeyName = keyof typeof keyScopes;

export interface ApiKey {
	secret: string;
	environment: Environment;
	scopes: Scope[];
	revoked: boolean;
}

export interface EnvironmentPlan {
	keys: Record<KeyName, ApiKey>;
	workflows: { main: WorkflowPlan; second: WorkflowPlan };
}

export type Account = Record<Environment, EnvironmentPlan>;

type ColumnPlan = [name: string, type: ColumnType, prompt: string];

const mainColumns: ColumnPlan[] = [
	[
		'Document number',
		'text',
		[
			'The number of the document.',
			'Labels: "Invoice number", "Order number", "Delivery note number", "Rechnungsnummer"',
		].join(' '),
	],
	['Supplier', 'text', 'The company that supplies the goods. Labels: "Supplier", "Lieferant"'],
	[
		'Document date',
		'date',
		'The date of the document. Labels: "Invoice date", "Order date", "Delivery date", "Rechnungsdatum"',
	],
	['Total', 'number', 'The amount to pay, taxes included. Labels: "Total", "Gesamtbetrag"'],
	['Currency', 'text', 'The currency of the total. Labels: "Currency", "Währung"'],
	[
		'Reference',
		'text',
		'The reference that the customer gave. Labels: "Your reference", "Ihr Zeichen"',
	],
	['Line items', 'table', 'The positions of the document. Labels: "Line items", "Positionen"'],
];

const secondColumns: ColumnPlan[] = [
	['Title', 'text', 'The title of the document. Labels: "Title", "Subject"'],
	['Signed on', 'date', 'The day of the signature. Labels: "Signed on"'],
];

const collectionNames = [
	'Invoices 2024',
	'Deal room "Nørrebro" – Müller & Söhne',
	'貸付ファイル 7/8',
];

const stageNames = ['Inbox', 'Review', 'Done'];

export function createAccount(profile: Profile): Account {
	return { test: planEnvironment(profile, 'test'), live: planEnvironment(profile, 'live') };
}

function planEnvironment(profile: Profile, environment: Environment): EnvironmentPlan {
	const { ids, keyPrefix, columnNames } = profile;
	// IDs and keys stay the same from start to start, so that a credential that was
	// filled in once goes on working.
	const stable = (...parts: string[]) =>
		createHash('sha256')
			.update([profile.name, environment, ...parts].join('/'))
			.digest('hex');

	const keys = Object.entries(keyScopes).map(([name, scopes]) => {
		const secret = `${keyPrefix}_${environment}_${stable('key', name).slice(0, 24)}`;
		return [name, { secret, environment, scopes, revoked: name === 'revoked' }];
	});

	const workflow = (own: string, name: string, columns: ColumnPlan[]) => ({
		id: ids.workflow(stable('workflow', own)),
		environment,
		name,
		columns: columns.slice(0, columnNames?.length).map(([usual, type, prompt], position) => {
			const column = columnNames?.[position] ?? usual;
			return {
				name: column,
				type,
				prompt,
				id: ids.column(stable('column', own, column), position),
			};
		}),
		collections: collectionNames.map((collection) => ({
			id: ids.collection(stable('collection', own, collection)),
			name: collection,
		})),
		stages: stageNames.map((stage) => ({
			id: stable('stage', own, stage).slice(0, 8),
			name: stage,
		})),
	});

	return {
		keys: Object.fromEntries(keys) as EnvironmentPlan['keys'],
		workflows: {
			main: workflow('main', 'Supplier documents', mainColumns),
			second: workflow('second', 'Letters', secondColumns),
		},
	};
}
