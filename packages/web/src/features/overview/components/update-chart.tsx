import { Text } from '@mantine/core';
import type { UpdatesOfDay } from '@steward/contract';
import type { DayBar } from '../../../components/day-bars.tsx';
import { DayChart } from '../../../components/day-chart.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { formatNumber, formatUtcDay } from '../../../lib/format.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import styles from './update-chart.module.css';

const messages = overviewMessages.updates;
/** In percent. */
const HEIGHT = 100;
/** Keeps one failure among thousands of updates visible. */
const MIN_BAR = 3;

/** Succeeded updates are above the line and failed updates below it, so that the chart works without colour. */
export function UpdateChart({ days }: { days: UpdatesOfDay[] }) {
  const succeeded = days.reduce((sum, day) => sum + day.succeeded, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  if (succeeded + failed === 0)
    return (
      <EmptyState isSection title={messages.emptyTitle}>
        {messages.empty}
      </EmptyState>
    );
  return (
    <div className={styles.chart}>
      <p className={`${styles.legend} tabular`}>
        <StatusLabel kind="good">{messages.succeeded(succeeded)}</StatusLabel>
        {failed > 0 && <StatusLabel kind="bad">{messages.failed(failed)}</StatusLabel>}
      </p>
      <DayChart
        {...toBars(days)}
        heightPx={96}
        table={{
          caption: messages.tableCaption,
          columns: messages.columns,
          rows: days
            .filter((day) => day.succeeded + day.failed > 0)
            .map((day) => [
              formatUtcDay(day.day),
              formatNumber(day.succeeded),
              formatNumber(day.failed),
            ]),
        }}
      />
      {failed > 0 && (
        <Text size="sm" c="dimmed">
          {messages.note}
        </Text>
      )}
    </div>
  );
}

/** Both directions have the same scale. `MIN_BAR` is reserved in each direction. */
function toBars(days: UpdatesOfDay[]): { days: DayBar[]; zero: number } {
  const maxSucceeded = Math.max(...days.map((day) => day.succeeded));
  const maxFailed = Math.max(...days.map((day) => day.failed));
  const unit = (HEIGHT - 2 * MIN_BAR) / (maxSucceeded + maxFailed);
  const heightOf = (value: number) => (value === 0 ? 0 : MIN_BAR + value * unit);
  const zero = HEIGHT - heightOf(maxSucceeded);
  const bars = days.map(({ day, ...counts }) => ({
    day,
    title: messages.day(formatUtcDay(day), counts),
    parts: [
      { from: zero, to: zero + heightOf(counts.succeeded), color: 'good' as const },
      { from: zero - heightOf(counts.failed), to: zero, color: 'bad' as const },
    ],
  }));
  return { days: bars, zero };
}
