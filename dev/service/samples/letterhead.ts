import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import PDFDocument from 'pdfkit';

export interface TableColumn {
	heading: string;
	width: number;
	align?: 'left' | 'right';
}

export interface Letter {
	fileName: string;
	title: string;
	colour: string;
	company: { name: string; claim: string; address: string };
	recipient: string[];
	facts: Array<[label: string, value: string]>;
	introduction: string;
	table: { label: string; columns: TableColumn[]; rows: string[][] };
	sums: Array<[label: string, value: string]>;
	closing: string[];
	/** Text of a second page. */
	terms?: { title: string; paragraphs: string[] };
	page: (number: number, count: number) => string;
}

const margin = 56;
const pageWidth = 595.28;
const contentWidth = pageWidth - 2 * margin;
const grey = '#5b6470';
const ink = '#1d232b';

/** Writes a business letter. The same letter gives the same bytes, always. */
export async function writeLetter(directory: string, letter: Letter) {
	const day = new Date('2024-01-01T00:00:00Z');
	const pdf = new PDFDocument({
		size: 'A4',
		// Footers stand in the lower margin; a bottom margin would push them to a new page.
		margins: { top: margin, left: margin, right: margin, bottom: 0 },
		bufferPages: true,
		info: { Title: letter.title, Author: letter.company.name, CreationDate: day, ModDate: day },
	});
	const file = pdf.pipe(createWriteStream(`${directory}/${letter.fileName}`));

	writeHead(pdf, letter);
	writeFacts(pdf, letter);
	writeTable(pdf, letter);
	writeSums(pdf, letter);
	writeClosing(pdf, letter);
	if (letter.terms) writeTerms(pdf, letter.terms, letter.colour);
	writeFooters(pdf, letter);

	pdf.end();
	await finished(file);
}

type Pdf = InstanceType<typeof PDFDocument>;

function writeHead(pdf: Pdf, { company, colour, title, recipient }: Letter) {
	pdf.rect(0, 0, pageWidth, 10).fill(colour);
	pdf.roundedRect(margin, 40, 34, 34, 6).fill(colour);
	pdf.fillColor('white').font('Helvetica-Bold').fontSize(18);
	pdf.text(company.name[0], margin, 49, { width: 34, align: 'center' });
	pdf
		.fillColor(ink)
		.fontSize(15)
		.text(company.name, margin + 46, 42);
	pdf
		.fillColor(grey)
		.font('Helvetica')
		.fontSize(9)
		.text(company.claim, margin + 46, 61);

	pdf.fontSize(7.5).text(`${company.name} · ${company.address}`, margin, 128);
	pdf.fillColor(ink).fontSize(10.5);
	for (const [index, line] of recipient.entries()) pdf.text(line, margin, 144 + index * 15);

	pdf.font('Helvetica-Bold').fontSize(22).fillColor(colour).text(title, margin, 238);
}

function writeFacts(pdf: Pdf, { facts, introduction }: Letter) {
	for (const [index, [label, value]] of facts.entries()) {
		const y = 128 + index * 16;
		pdf.font('Helvetica').fontSize(9).fillColor(grey).text(label, 300, y, { lineBreak: false });
		pdf.font('Helvetica-Bold').fillColor(ink).text(value, 392, y, { lineBreak: false });
	}
	pdf.font('Helvetica').fontSize(10).fillColor(ink);
	pdf.text(introduction, margin, 276, { width: contentWidth, lineGap: 3 });
}

function writeTable(pdf: Pdf, { table, colour }: Letter) {
	const { label, columns, rows } = table;
	let y = pdf.y + 22;
	pdf.font('Helvetica-Bold').fontSize(11).fillColor(ink).text(label, margin, y);

	y += 20;
	pdf.rect(margin, y, contentWidth, 20).fill(colour);
	pdf.fillColor('white').fontSize(9);
	writeRow(
		pdf,
		columns,
		columns.map(({ heading }) => heading),
		y + 6,
	);

	pdf.font('Helvetica').fillColor(ink);
	for (const [index, row] of rows.entries()) {
		y += 20;
		if (index % 2 === 1) pdf.rect(margin, y, contentWidth, 20).fill('#f3f5f7');
		pdf.fillColor(ink);
		writeRow(pdf, columns, row, y + 6);
	}
	y += 20;
	pdf
		.moveTo(margin, y)
		.lineTo(margin + contentWidth, y)
		.lineWidth(0.75)
		.stroke(colour);
	pdf.y = y;
}

function writeRow(pdf: Pdf, columns: TableColumn[], cells: string[], y: number) {
	let x = margin + 8;
	for (const [index, { width, align }] of columns.entries()) {
		pdf.text(cells[index], x, y, { width: width - 12, align, lineBreak: false });
		x += width;
	}
}

function writeSums(pdf: Pdf, { sums }: Letter) {
	let y = pdf.y + 14;
	for (const [index, [label, value]] of sums.entries()) {
		const isLast = index === sums.length - 1;
		pdf.font(isLast ? 'Helvetica-Bold' : 'Helvetica').fontSize(isLast ? 11 : 9.5);
		pdf.fillColor(ink).text(label, 350, y, { lineBreak: false });
		pdf.text(value, 450, y, { width: pageWidth - margin - 450 - 4, align: 'right' });
		y += 18;
	}
	pdf.y = y;
}

function writeClosing(pdf: Pdf, { closing }: Letter) {
	pdf.font('Helvetica').fontSize(10).fillColor(ink);
	pdf.text(closing.join('\n'), margin, pdf.y + 20, { width: contentWidth, lineGap: 4 });
}

function writeTerms(pdf: Pdf, { title, paragraphs }: NonNullable<Letter['terms']>, colour: string) {
	pdf.addPage();
	pdf.rect(0, 0, pageWidth, 10).fill(colour);
	pdf.font('Helvetica-Bold').fontSize(16).fillColor(colour).text(title, margin, 48);
	pdf.font('Helvetica').fontSize(10).fillColor(ink);
	for (const paragraph of paragraphs) {
		pdf.moveDown(0.8).text(paragraph, { width: contentWidth, lineGap: 3 });
	}
}

function writeFooters(pdf: Pdf, { company, page }: Letter) {
	const { count } = pdf.bufferedPageRange();
	for (let index = 0; index < count; index++) {
		pdf.switchToPage(index);
		pdf.font('Helvetica').fontSize(8).fillColor(grey);
		pdf.text(`${company.name} · ${company.address}`, margin, 800, { lineBreak: false });
		pdf.text(page(index + 1, count), margin, 800, { width: contentWidth, align: 'right' });
	}
}
