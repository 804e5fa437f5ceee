import { Text, Title } from '@mantine/core';
import type { ReachabilityDay } from '@steward/contract';
import type { DayBar } from '../../../components/day-bars.tsx';
import { DayChart } from '../../../components/day-chart.tsx';
import { formatMilliseconds, formatUtcDay } from '../../../lib/format.ts';
import { responseTimesMessages as messages } from '../../../messages/response-times.ts';
import { findScale, listMeasuredDays, type MeasuredDay } from '../response-scale.ts';
import styles from './response-chart.module.css';

/** In percent of the height. */
const MIN_BAR = 3;

/** The median and the maximum of each day. Nothing without a measured day. */
export function ResponseChart({ days }: { days: ReachabilityDay[] }) {
  const measured = listMeasuredDays(days);
  const last = measured.at(-1);
  if (!last) return null;
  const { topMs, isCut } = findScale(measured);
  const byDay = new Map(measured.map((day) => [day.day, day]));
  return (
    <div className={styles.section}>
      <Title order={3} size="h5" mb={4}>
        {messages.title}
      </Title>
      <DayChart
        days={days.map(({ day }) => toBar(day, byDay.get(day), topMs))}
        heightPx={56}
        table={{
          caption: messages.tableCaption,
          columns: messages.columns,
          rows: measured.map(({ day, medianMs, maxMs }) => [
            formatUtcDay(day),
            formatMilliseconds(medianMs),
            formatMilliseconds(maxMs),
          ]),
        }}
      />
      <Text size="sm">
        {messages.day(formatUtcDay(last.day), last)}. {isCut && messages.isCut(topMs)}
      </Text>
    </div>
  );
}

/** The median covers the lower part of the maximum. */
function toBar(day: string, found: MeasuredDay | undefined, topMs: number): DayBar {
  const name = formatUtcDay(day);
  if (!found) return { day, title: messages.none(name), parts: [] };
  const heightOf = (ms: number) => Math.min(100, Math.max(MIN_BAR, (ms / topMs) * 100));
  return {
    day,
    title: messages.day(name, found),
    parts: [
      { from: 0, to: heightOf(found.maxMs), color: 'line' },
      { from: 0, to: heightOf(found.medianMs), color: 'accent' },
    ],
  };
}
