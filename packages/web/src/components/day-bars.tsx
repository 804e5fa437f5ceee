import styles from './day-bars.module.css';

export type DayPart = {
  /** The lower and the upper edge, in percent of the height. */
  from: number;
  to: number;
  /** `before` is hollow, so that the chart works without colour. */
  color: 'good' | 'bad' | 'accent' | 'line' | 'before';
  /** In a chart with two bars per day: the left or the right one. */
  side?: 'left' | 'right';
};

export type DayBar = {
  day: string;
  /** Shown on hover over the whole day. */
  title: string;
  /** The later ones cover the earlier ones. */
  parts: DayPart[];
};

type Props = {
  days: DayBar[];
  heightPx: number;
  /** Where the line of zero is, in percent of the height. Null: no line. */
  zero?: number | null;
};

const HEIGHT = 100;
const DAY_WIDTH = 10;
const GAP = 2;
const SIDE_WIDTH = (DAY_WIDTH - GAP) / 2;

/** The bars of a `DayChart`: one drawing for all charts of the panel. */
export function DayBars({ days, heightPx, zero = 0 }: Props) {
  const width = days.length * DAY_WIDTH;
  return (
    <svg
      className={styles.bars}
      style={{ height: heightPx }}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {days.map(({ day, title, parts }, index) => (
        <g key={day}>
          <title>{title}</title>
          {/* Shows the title over the whole day, not only over its bars. */}
          <rect x={index * DAY_WIDTH} width={DAY_WIDTH} height={HEIGHT} />
          {parts.map(({ from, to, color, side }) => (
            <rect
              key={`${side} ${color}`}
              data-color={color}
              x={index * DAY_WIDTH + GAP / 2 + (side === 'right' ? SIDE_WIDTH : 0)}
              y={HEIGHT - to}
              width={side ? SIDE_WIDTH : DAY_WIDTH - GAP}
              height={to - from}
            />
          ))}
        </g>
      ))}
      {zero !== null && <line x1={0} x2={width} y1={HEIGHT - zero} y2={HEIGHT - zero} />}
    </svg>
  );
}
