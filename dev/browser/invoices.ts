import { join } from 'node:path';
import { execa } from 'execa';
import { type Letter, writeLetter } from '../service/samples/letterhead.ts';
import { amountColumns, englishPage, harbourInvoice } from '../service/samples/letters.ts';

type Invoice = Pick<Letter, 'fileName' | 'colour' | 'company'> & {
	facts: Letter['facts'];
	rows: string[][];
	sums: Letter['sums'];
};

/** Beside the sample: every column finds its value, and no total has more digits than a reader takes in. */
const others: Invoice[] = [
	{
		fileName: 'invoice-northway-haulage.pdf',
		colour: '#7a3b12',
		company: {
			name: 'Northway Haulage B.V.',
			claim: 'Pallets across the North Sea',
			address: 'Waalhaven 118, 3087 BM Rotterdam',
		},
		facts: [
			['Invoice number:', 'NH-1187'],
			['Invoice date:', '19 March 2024'],
			['Your reference:', 'PO-77133'],
			['Supplier:', 'Northway Haulage B.V.'],
			['Currency:', 'EUR'],
		],
		rows: [
			['FR-200', 'Pallet, Rotterdam to Leeds', '2', '118.75', '237.50'],
			['SU-010', 'Fuel surcharge', '1', '25.65', '25.65'],
		],
		sums: [
			['Net amount', '263.15'],
			['VAT 21 %', '55.26'],
			['Total:', '318.41'],
		],
	},
	{
		fileName: 'invoice-brightwell-packaging.pdf',
		colour: '#2c6e49',
		company: {
			name: 'Brightwell Packaging Inc.',
			claim: 'Boxes that arrive',
			address: '77 Foundry Avenue, Columbus, OH 43004',
		},
		facts: [
			['Invoice number:', 'BW-50217'],
			['Invoice date:', 'March 22, 2024'],
			['Your reference:', 'PO-77148'],
			['Supplier:', 'Brightwell Packaging Inc.'],
			['Currency:', 'USD'],
		],
		rows: [
			['BX-600', 'Corrugated box 600 x 400 x 300 mm', '300', '1.15', '345.00'],
			['TP-050', 'Packing tape, 50 mm, 66 m', '120', '1.95', '234.00'],
			['FM-020', 'Foam sheet, 2 mm, 1 m x 100 m', '6', '42.00', '252.00'],
		],
		sums: [
			['Net amount', '831.00'],
			['Freight', '85.75'],
			['Total:', '916.75'],
		],
	},
];

const headings = ['Article', 'Description', 'Quantity', 'Unit price', 'Amount'];

/** Files for the pictures, in the order in which their rows are shown. */
export async function writeInvoices(folder: string): Promise<string[]> {
	await writeLetter(folder, harbourInvoice);
	for (const { rows, ...invoice } of others) {
		await writeLetter(folder, {
			...invoice,
			title: 'Invoice',
			recipient: ['Larkfield Logistics plc', 'Accounts payable', '220 Mill Road', 'Leeds LS1 5QS'],
			introduction: 'Thank you for your order. We invoice as follows.',
			table: { label: 'Line items', columns: amountColumns(headings), rows },
			closing: ['Please pay within 30 days.'],
			page: englishPage,
		});
	}
	return [harbourInvoice, ...others].map(({ fileName }) => join(folder, fileName));
}

/** The first page, as a PNG of twice the usual resolution. */
export async function imageOfPage(pdf: string): Promise<Buffer> {
	const args = ['-png', '-singlefile', '-r', '144', pdf];
	const { stdout } = await execa('pdftoppm', args, { encoding: 'buffer' });
	return Buffer.from(stdout);
}
