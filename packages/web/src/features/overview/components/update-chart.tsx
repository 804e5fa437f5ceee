import { Text } from '@mantine/core';
import type { UpdatesOfDay } from '@steward/contract';
import { DayChart } from '../../../components/day-chart.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { formatNumber, formatUtcDay } from '../../../lib/format.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import styles from './update-chart.module.css';

const messages = overviewMessages.updates;
const HEIGHT = 100;
const DAY_WIDTH = 10;
const GAP = 3;
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
        firstDay={days[0]?.day ?? ''}
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
      >
        <Bars days={days} />
      </DayChart>
      {failed > 0 && (
        <Text size="sm" c="dimmed">
          {messages.note}
        </Text>
      )}
    </div>
  );
}

function Bars({ days }: { days: UpdatesOfDay[] }) {
  const maxSucceeded = Math.max(...days.map((day) => day.succeeded));
  const maxFailed = Math.max(...days.map((day) => day.failed));
  // Both directions have the same scale. `MIN_BAR` is reserved in each direction.
  const unit = (HEIGHT - 2 * MIN_BAR) / (maxSucceeded + maxFailed);
  const heightOf = (value: number) => (value === 0 ? 0 : MIN_BAR + value * unit);
  const line = heightOf(maxSucceeded);
  const width = days.length * DAY_WIDTH;
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {days.map(({ day, ...counts }, index) => {
        const x = index * DAY_WIDTH + GAP / 2;
        const barWidth = DAY_WIDTH - GAP;
        const height = heightOf(counts.succeeded);
        return (
          <g key={day}>
            <title>{messages.day(formatUtcDay(day), counts)}</title>
            {/* Shows the title over the whole day, not only over its bars. */}
            <rect x={index * DAY_WIDTH} width={DAY_WIDTH} height={HEIGHT} fill="transparent" />
            <rect
              className={styles.good}
              x={x}
              y={line - height}
              width={barWidth}
              height={height}
            />
            <rect
              className={styles.bad}
              x={x}
              y={line}
              width={barWidth}
              height={heightOf(counts.failed)}
            />
          </g>
        );
      })}
      <line className={styles.line} x1={0} x2={width} y1={line} y2={line} />
    </svg>
  );
}
