import type { Plot } from '../results.ts';
import { formatNumber } from '../results.ts';

const WIDTH = 780;
const HEIGHT = 320;
const MARGIN = { top: 48, right: 240, bottom: 40, left: 70 };
const COLORS = ['#3b5bdb', '#b35c00', '#2b8a3e', '#862e9c', '#c92a2a', '#0b7285'];
const Y_TICKS = 4;

/** Draws a line plot as SVG, with a white background: GitHub shows it in both colour schemes. */
export function drawPlot({ title, unit, series }: Plot): string {
  const categories = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))];
  const top = roundUp(Math.max(...series.flatMap(({ points }) => points.map(({ y }) => y)), 0));
  const toX = (x: string) =>
    MARGIN.left +
    ((categories.indexOf(x) + 0.5) / categories.length) * (WIDTH - MARGIN.left - MARGIN.right);
  const toY = (y: number) =>
    HEIGHT - MARGIN.bottom - (y / top) * (HEIGHT - MARGIN.top - MARGIN.bottom);

  const ticks = Array.from({ length: Y_TICKS + 1 }, (_, tick) => (top * tick) / Y_TICKS);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(MARGIN.left, 24, `${title} (${unit})`, 'font-size="15" font-weight="600"'),
    ...ticks.flatMap((value) => [
      `<path d="M${MARGIN.left} ${toY(value)}H${WIDTH - MARGIN.right}" stroke="#e6e8eb"/>`,
      text(MARGIN.left - 8, toY(value) + 4, formatNumber(value), 'text-anchor="end"'),
    ]),
    ...categories.map((x) => text(toX(x), HEIGHT - 14, x, 'text-anchor="middle"')),
    ...series.flatMap(({ name, points }, index) => {
      const color = COLORS[index % COLORS.length];
      const path = points.map(({ x, y }) => `${toX(x)},${toY(y)}`).join(' ');
      const legendY = MARGIN.top + index * 20;
      return [
        `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
        ...points.map(
          ({ x, y }) => `<circle cx="${toX(x)}" cy="${toY(y)}" r="3.5" fill="${color}"/>`,
        ),
        `<rect x="${WIDTH - MARGIN.right + 16}" y="${legendY - 9}" width="10" height="10" fill="${color}"/>`,
        text(WIDTH - MARGIN.right + 32, legendY, name),
      ];
    }),
    '</svg>\n',
  ].join('\n');
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escapeXml(content)}</text>`;
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Rounds up to 1, 2.5 or 5 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}
