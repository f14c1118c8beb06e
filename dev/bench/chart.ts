import type { Outcome, Statistics } from '../measure/measure.ts';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** On the page's own background. */
const colours: Record<Theme, Record<'text' | 'quiet' | 'ours' | 'other' | 'spread', string>> = {
	light: {
		text: '#1f2328',
		quiet: '#59636e',
		ours: '#ea4b71',
		other: '#c3c9d5',
		spread: '#1f2328',
	},
	dark: {
		text: '#f0f6fc',
		quiet: '#9198a1',
		ours: '#d63f65',
		other: '#4d5562',
		spread: '#f0f6fc',
	},
};

const width = 760;
const labelWidth = 200;
const barHeight = 18;
const rowHeight = 24;
const titleHeight = 34;
const margin = 16;
const valueWidth = 70;
const captionLine = 20;

const ours = /^this node/;

const caption = [
	'Bar: median of the rounds. Line: from the lowest to the highest of them. Less is better.',
	"HTTP Request, core nodes: the same job with n8n's own nodes. undici alone: without n8n.",
];

const escaped = (text: string) =>
	text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** As many digits as the documentation's tables have. */
const shown = (value: number, unit: string) =>
	unit === 'MB' ? value.toFixed(0) : value.toPrecision(3);

interface Bar extends Statistics {
	name: string;
}

function bars({ title, unit }: Outcome, entries: Bar[], top: number): string {
	const longest = Math.max(...entries.map(({ highest }) => highest));
	const room = width - labelWidth - valueWidth - 2 * margin;
	const x = (value: number) => Math.round(labelWidth + margin + (value / longest) * room);
	const rows = entries.map(({ name, median, lowest, highest }, index) => {
		const y = top + titleHeight + index * rowHeight;
		const middle = y + barHeight / 2;
		const kind = ours.test(name) ? 'ours' : 'other';
		return `<text class="name" x="${labelWidth + margin - 8}" y="${middle}">${escaped(name)}</text>
<rect class="${kind}" x="${x(0)}" y="${y}" width="${Math.max(1, x(median) - x(0))}" height="${barHeight}" rx="2"/>
<line class="spread" x1="${x(lowest)}" x2="${x(highest)}" y1="${middle}" y2="${middle}"/>
<text x="${x(highest) + 8}" y="${middle}">${shown(median, unit)} ${escaped(unit)}</text>`;
	});
	const rounds = `<tspan class="quiet" dx="6">${entries[0].values.length} rounds</tspan>`;
	return `<text class="title" x="${margin}" y="${top + titleHeight - 14}">${escaped(title)}${rounds}</text>\n${rows.join('\n')}`;
}

/** What each contender took, drawn for a light page or for a dark one. */
export function chart(outcomes: Outcome[], theme: Theme): string {
	const { text, quiet, ours: oursColour, other, spread } = colours[theme];
	const parts: string[] = [];
	let top = 0;
	for (const outcome of outcomes) {
		const entries = outcome.contenders.map(({ name, quantities }) => ({
			name,
			...quantities[outcome.quantity],
		}));
		parts.push(bars(outcome, entries, top));
		top += titleHeight + entries.length * rowHeight + margin;
	}
	for (const line of caption) {
		parts.push(`<text class="quiet" x="${margin}" y="${top + captionLine / 2}">${line}</text>`);
		top += captionLine;
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img" aria-label="Benchmarks: this node, core nodes, undici alone">
<style>
svg { font: 13px system-ui, sans-serif; }
text { dominant-baseline: central; fill: ${text}; }
.title { font-weight: 600; font-size: 14px; }
.name { text-anchor: end; }
.quiet { fill: ${quiet}; font-weight: 400; font-size: 12px; }
.ours { fill: ${oursColour}; }
.other { fill: ${other}; }
.spread { stroke: ${spread}; stroke-width: 1.5; }
</style>
${parts.join('\n')}
</svg>
`;
}
