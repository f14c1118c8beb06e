import type { Outcome } from '../measure/measure.ts';

const width = 760;
const labelWidth = 250;
const barHeight = 18;
const rowHeight = 24;
const titleHeight = 34;
const margin = 16;
const valueWidth = 90;

const ours = /^this node/;

const escaped = (text: string) =>
	text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

const shown = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(2));

interface Bar {
	name: string;
	median: number;
	lowest: number;
	highest: number;
}

function bars(title: string, unit: string, entries: Bar[], top: number): string {
	const longest = Math.max(...entries.map(({ highest }) => highest));
	const room = width - labelWidth - valueWidth - 2 * margin;
	const x = (value: number) => labelWidth + margin + (Math.max(0, value) / longest) * room;
	const rows = entries.map(({ name, median, lowest, highest }, index) => {
		const y = top + titleHeight + index * rowHeight;
		const middle = y + barHeight / 2;
		const kind = ours.test(name) ? 'ours' : 'other';
		return `<text class="name" x="${labelWidth + margin - 8}" y="${middle}">${escaped(name)}</text>
<rect class="${kind}" x="${x(0)}" y="${y}" width="${Math.max(1, x(median) - x(0))}" height="${barHeight}" rx="2"/>
<line class="spread" x1="${x(lowest)}" x2="${x(highest)}" y1="${middle}" y2="${middle}"/>
<text class="value" x="${x(highest) + 8}" y="${middle}">${shown(median)} ${escaped(unit)}</text>`;
	});
	return `<text class="title" x="${margin}" y="${top + titleHeight - 14}">${escaped(title)}</text>\n${rows.join('\n')}`;
}

/** Bars of the medians, with a line from the lowest to the highest value. */
export function chart(outcomes: Outcome[]): string {
	const parts: string[] = [];
	let top = margin;
	for (const { title, quantity, unit, contenders } of outcomes) {
		const entries = contenders.map(({ name, quantities }) => ({ name, ...quantities[quantity] }));
		parts.push(bars(title, unit, entries, top));
		top += titleHeight + entries.length * rowHeight + margin;
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img" aria-label="Benchmarks: this node, core nodes, undici alone">
<style>
svg { background: #fff; font: 13px system-ui, sans-serif; }
text { dominant-baseline: central; fill: #333; }
.title { font-weight: 600; font-size: 14px; }
.name { text-anchor: end; }
.ours { fill: #ea4b71; }
.other { fill: #c3c9d5; }
.spread { stroke: #333; stroke-width: 1.5; }
</style>
${parts.join('\n')}
</svg>
`;
}
