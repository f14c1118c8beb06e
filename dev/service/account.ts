import { createHash } from 'node:crypto';
import type { ColumnType, Environment, WorkflowPlan } from './model.ts';
import type { Scope } from './operations.ts';
import type { Profile } from './profiles/profile.ts';

export interface ApiKey {
	secret: string;
	environment: Environment;
	scopes: Scope[];
	revoked: boolean;
}

export type KeyName = 'full' | 'readOnly' | 'noUpload' | 'noExtract' | 'revoked';

export interface EnvironmentPlan {
	keys: Record<KeyName, ApiKey>;
	workflows: { main: WorkflowPlan; second: WorkflowPlan };
}

export type Account = Record<Environment, EnvironmentPlan>;

const keyRights: Record<KeyName, { scopes: Scope[]; revoked: boolean }> = {
	full: { scopes: ['read', 'upload', 'extract'], revoked: false },
	readOnly: { scopes: ['read'], revoked: false },
	noUpload: { scopes: ['read', 'extract'], revoked: false },
	noExtract: { scopes: ['read', 'upload'], revoked: false },
	revoked: { scopes: ['read', 'upload', 'extract'], revoked: true },
};

type ColumnPlan = [name: string, type: ColumnType, prompt: string];

const mainColumns: ColumnPlan[] = [
	[
		'Document number',
		'text',
		'The number of the document. Labels: "Invoice number", "Order number", "Delivery note number", "Rechnungsnummer"',
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
	// IDs and keys stay the same from start to start, so that a credential that was
	// filled in once goes on working.
	const stable = (...parts: string[]) =>
		createHash('sha256')
			.update([profile.name, environment, ...parts].join('/'))
			.digest('hex');

	const key = (name: KeyName): ApiKey => ({
		...keyRights[name],
		environment,
		secret: `${profile.keyPrefix}_${environment}_${stable('key', name).slice(0, 24)}`,
	});

	const named = (columns: ColumnPlan[]) =>
		profile.columnNames?.flatMap((name, index): ColumnPlan[] => {
			const [, type, prompt] = columns[index] ?? [];
			return type && prompt ? [[name, type, prompt]] : [];
		}) ?? columns;

	const workflow = (name: string, title: string, columns: ColumnPlan[]) => ({
		id: profile.ids.workflow(stable('workflow', name)),
		environment,
		name: title,
		columns: named(columns).map(([column, type, prompt], position) => ({
			name: column,
			type,
			prompt,
			id: profile.ids.column(stable('column', name, column), position),
		})),
		collections: collectionNames.map((collection) => ({
			id: profile.ids.collection(stable('collection', name, collection)),
			name: collection,
		})),
		stages: stageNames.map((stage) => ({
			id: stable('stage', name, stage).slice(0, 8),
			name: stage,
		})),
	});

	return {
		keys: {
			full: key('full'),
			readOnly: key('readOnly'),
			noUpload: key('noUpload'),
			noExtract: key('noExtract'),
			revoked: key('revoked'),
		},
		workflows: {
			main: workflow('main', 'Supplier documents', mainColumns),
			second: workflow('second', 'Letters', secondColumns),
		},
	};
}
