import type { Letter } from './letterhead.ts';

export const amountColumns = (headings: string[]) => {
	const [article, description, quantity, price, amount] = headings;
	return [
		{ heading: article, width: 78 },
		{ heading: description, width: 195 },
		{ heading: quantity, width: 60, align: 'right' as const },
		{ heading: price, width: 75, align: 'right' as const },
		{ heading: amount, width: 75, align: 'right' as const },
	];
};

export const englishPage = (number: number, count: number) => `Page ${number} of ${count}`;

export const harbourInvoice: Letter = {
	fileName: 'invoice-harbour-supplies.pdf',
	title: 'Invoice',
	colour: '#1f4e79',
	company: {
		name: 'Harbour Office Supplies Ltd',
		claim: 'Paper, ink and furniture since 1987',
		address: '14 Quay Street, Bristol BS1 4DJ',
	},
	recipient: ['Larkfield Logistics plc', 'Accounts payable', '220 Mill Road', 'Leeds LS1 5QS'],
	facts: [
		['Invoice number:', 'HS-2024-0417'],
		['Invoice date:', '14 March 2024'],
		['Due date:', '13 April 2024'],
		['Your reference:', 'PO-77120'],
		['Supplier:', 'Harbour Office Supplies Ltd'],
		['Currency:', 'GBP'],
	],
	introduction:
		'Thank you for your order. We delivered the goods on 12 March 2024 to your warehouse in Leeds and invoice them as follows.',
	table: {
		label: 'Line items',
		columns: amountColumns(['Article', 'Description', 'Quantity', 'Unit price', 'Amount']),
		rows: [
			['PA-480', 'Copy paper A4, 80 g, box of 2,500', '10', '18.90', '189.00'],
			['IN-210', 'Ink cartridge, black, high yield', '4', '34.50', '138.00'],
			['CH-033', 'Desk chair, mesh back, grey', '1', '129.00', '129.00'],
			['LB-115', 'Shipping labels, roll of 1,000', '8', '9.80', '78.40'],
		],
	},
	sums: [
		['Net amount', '534.40'],
		['VAT 20 %', '106.88'],
		['Total:', '641.28'],
	],
	closing: [
		'Please pay within 30 days to Harbour Office Supplies Ltd, sort code 00-00-00, account 00000000.',
		'Questions about this invoice: accounts@harbour-supplies.example',
	],
	page: englishPage,
};

const purchaseOrder: Letter = {
	fileName: 'purchase-order-larkfield.pdf',
	title: 'Purchase order',
	colour: '#7a3b1e',
	company: {
		name: 'Larkfield Logistics plc',
		claim: 'Freight, storage and last mile',
		address: '220 Mill Road, Leeds LS1 5QS',
	},
	recipient: ['Brightwell Packaging Inc.', 'Order desk', '77 Foundry Avenue', 'Columbus, OH 43004'],
	facts: [
		['Order number:', 'PO-78003'],
		['Order date:', 'April 2, 2024'],
		['Deliver by:', 'April 30, 2024'],
		['Your reference:', 'Q-5518'],
		['Supplier:', 'Brightwell Packaging Inc.'],
		['Currency:', 'USD'],
	],
	introduction:
		'We order the following goods at the prices of your quotation Q-5518. The conditions on the next page apply.',
	table: {
		label: 'Line items',
		columns: amountColumns(['Article', 'Description', 'Quantity', 'Unit price', 'Amount']),
		rows: [
			['BX-600', 'Corrugated box 600 x 400 x 300 mm', '2,000', '1.15', '2,300.00'],
			['BX-300', 'Corrugated box 300 x 200 x 200 mm', '3,500', '0.62', '2,170.00'],
			['TP-050', 'Packing tape, 50 mm, 66 m', '480', '1.95', '936.00'],
			['FM-020', 'Foam sheet, 2 mm, 1 m x 100 m', '30', '42.00', '1,260.00'],
			['PL-120', 'Pallet, heat treated, 1200 x 800 mm', '150', '11.40', '1,710.00'],
		],
	},
	sums: [
		['Net amount', '8,376.00'],
		['Freight', '350.00'],
		['Total:', '8,726.00'],
	],
	closing: [
		'Please confirm this order within three working days.',
		'Purchasing department, purchasing@larkfield.example',
	],
	terms: {
		title: 'Conditions of purchase',
		paragraphs: [
			'1. Acceptance. The order is accepted when the supplier confirms it in writing or begins to fulfil it. Other conditions than these do not apply.',
			'2. Delivery. Goods are delivered to the address named in the order, on working days between 7:00 and 15:00. Partial deliveries need our consent.',
			'3. Prices. Prices are fixed and include packaging. Freight is charged as stated in the order.',
			'4. Invoices. An invoice names our order number. Invoices without it are returned.',
			'5. Payment. We pay within 30 days after the goods and a correct invoice have arrived.',
			'6. Defects. We examine goods within ten working days after delivery and report defects without delay.',
		],
	},
	page: englishPage,
};

const deliveryNote: Letter = {
	fileName: 'delivery-note-brightwell.pdf',
	title: 'Delivery note',
	colour: '#2f6b4f',
	company: {
		name: 'Brightwell Packaging Inc.',
		claim: 'Boxes that arrive',
		address: '77 Foundry Avenue, Columbus, OH 43004',
	},
	recipient: ['Larkfield Logistics plc', 'Warehouse 3', '8 Canal Wharf', 'Leeds LS11 5BB'],
	facts: [
		['Delivery note number:', 'DN-90442'],
		['Delivery date:', '2024-04-26'],
		['Your reference:', 'PO-78003'],
		['Supplier:', 'Brightwell Packaging Inc.'],
		['Carrier:', 'Northway Haulage'],
		['Pallets:', '11'],
	],
	introduction:
		'We deliver the following goods of your order PO-78003. Please check that the delivery is complete and undamaged.',
	table: {
		label: 'Line items',
		columns: [
			{ heading: 'Article', width: 78 },
			{ heading: 'Description', width: 225 },
			{ heading: 'Ordered', width: 90, align: 'right' },
			{ heading: 'Delivered', width: 90, align: 'right' },
		],
		rows: [
			['BX-600', 'Corrugated box 600 x 400 x 300 mm', '2,000', '2,000'],
			['BX-300', 'Corrugated box 300 x 200 x 200 mm', '3,500', '3,500'],
			['TP-050', 'Packing tape, 50 mm, 66 m', '480', '480'],
			['FM-020', 'Foam sheet, 2 mm, 1 m x 100 m', '30', '24'],
		],
	},
	sums: [['Pieces delivered', '6,004']],
	closing: ['Received in good order', '', 'Date, name, signature  ______________________________'],
	page: englishPage,
};

const germanInvoice: Letter = {
	fileName: 'rechnung-mueller-soehne.pdf',
	title: 'Rechnung',
	colour: '#5a2a6b',
	company: {
		name: 'Müller & Söhne Bürobedarf GmbH',
		claim: 'Schreibwaren, Möbel, Geschenke',
		address: 'Königstraße 12, 90402 Nürnberg',
	},
	recipient: ['Café Zoë & François OHG', 'Frau Åsa Nuñez', 'Größerer Weg 5', '80331 München'],
	facts: [
		['Rechnungsnummer:', 'RE-24/1093-Ä'],
		['Rechnungsdatum:', '2. Mai 2024'],
		['Fällig am:', '16.05.2024'],
		['Ihr Zeichen:', 'Zoë-Terrasse'],
		['Lieferant:', 'Müller & Söhne Bürobedarf GmbH'],
		['Währung:', 'EUR'],
	],
	introduction:
		'Vielen Dank für Ihren Auftrag. Für die Lieferung vom 29. April 2024 erlauben wir uns, wie folgt zu berechnen.',
	table: {
		label: 'Positionen',
		columns: amountColumns(['Artikel', 'Bezeichnung', 'Menge', 'Einzelpreis', 'Betrag']),
		rows: [
			['T-701', 'Bistrotisch „Orléans“, Ø 60 cm', '8', '119,00', '952,00'],
			['S-220', 'Klappstuhl, Eiche geölt', '16', '64,50', '1.032,00'],
			['K-018', 'Speisekarten, wasserfest, Größe A5', '40', '3,75', '150,00'],
		],
	},
	sums: [
		['Nettobetrag', '2.134,00'],
		['MwSt. 19 %', '405,46'],
		['Gesamtbetrag:', '2.539,46 €'],
	],
	closing: [
		'Bitte überweisen Sie den Betrag innerhalb von 14 Tagen.',
		'Rückfragen: buchhaltung@mueller-soehne.example',
	],
	page: (number, count) => `Seite ${number} von ${count}`,
};

export const letters = [harbourInvoice, purchaseOrder, deliveryNote, germanInvoice];
