import type { SoftwareVersion } from '@steward/contract';
import type { DayBar } from '../../../components/day-bars.tsx';
import { DayChart } from '../../../components/day-chart.tsx';
import { formatUtcDay } from '../../../lib/format.ts';
import { versionHealthMessages } from '../../../messages/version-health.ts';
import styles from './error-chart.module.css';

const messages = versionHealthMessages.chart;
const DAYS = 30;
const DAY_MS = 86_400_000;
/** In percent. */
const HEIGHT = 100;
/** Keeps one error among thousands of sites visible. */
const MIN_BAR = 3;

type Props = {
  /** One version, or two: the newer one first. */
  versions: SoftwareVersion[];
};

type Day = { day: string; rates: { version: string; rate: number }[] };

/** The newer version has filled bars, the version before has hollow ones, so that the chart works without colour. */
export function ErrorChart({ versions }: Props) {
  const days = listDays(versions);
  const most = Math.max(...days.flatMap(({ rates }) => rates.map(({ rate }) => rate)));
  return (
    <div>
      <p className={`${styles.legend} tabular`}>
        {versions.map(({ version, health }, index) => (
          <span key={version} className={styles.entry}>
            <span className={styles.swatch} data-before={index > 0 || undefined} aria-hidden />
            {messages.total(version, health.errors)}
          </span>
        ))}
        {most > 0 && <span className={styles.most}>{messages.most(most)}</span>}
      </p>
      <DayChart
        days={toBars(days, most)}
        heightPx={96}
        table={{
          caption: messages.title,
          columns: {
            day: messages.dayColumn,
            ...Object.fromEntries(versions.map(({ version }) => [version, version])),
          },
          rows: days
            .filter(({ rates }) => rates.some(({ rate }) => rate > 0))
            .map(({ day, rates }) => [
              formatUtcDay(day),
              ...rates.map(({ rate }) => messages.rate(rate)),
            ]),
        }}
      />
    </div>
  );
}

/** The panel sends only days with errors. */
function listDays(versions: SoftwareVersion[]): Day[] {
  const errorsByDay = versions.map(
    ({ health }) => new Map(health.days.map(({ day, errors }) => [day, errors])),
  );
  return Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(Date.now() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const rates = versions.map(({ version, health }, position) => ({
      version,
      rate: (errorsByDay[position]?.get(day) ?? 0) / Math.max(1, health.sites_reporting),
    }));
    return { day, rates };
  });
}

function toBars(days: Day[], most: number): DayBar[] {
  const heightOf = (rate: number) =>
    rate === 0 ? 0 : MIN_BAR + (rate / most) * (HEIGHT - MIN_BAR);
  return days.map(({ day, rates }) => ({
    day,
    title: messages.day(formatUtcDay(day), rates),
    parts: rates.map(({ rate }, position) => ({
      from: 0,
      to: heightOf(rate),
      ...(position === 0
        ? { color: 'bad' as const, side: 'left' as const }
        : { color: 'before' as const, side: 'right' as const }),
    })),
  }));
}
