import { Text, Title } from '@mantine/core';
import type { ReachabilityDay } from '@steward/contract';
import { DayChart } from '../../../components/day-chart.tsx';
import { formatMilliseconds, formatUtcDay } from '../../../lib/format.ts';
import { responseTimesMessages as messages } from '../../../messages/response-times.ts';
import { findScale, listMeasuredDays } from '../response-scale.ts';
import styles from './response-chart.module.css';

/** The median and the maximum of each day. Nothing without a measured day. */
export function ResponseChart({ days }: { days: ReachabilityDay[] }) {
  const measured = listMeasuredDays(days);
  const last = measured.at(-1);
  if (!last) return null;
  const { topMs, isCut } = findScale(measured);
  const byDay = new Map(measured.map((day) => [day.day, day]));
  const height = (ms: number) => `${Math.min(100, (ms / topMs) * 100)}%`;
  return (
    <div className={styles.section}>
      <Title order={3} size="h5" mb={4}>
        {messages.title}
      </Title>
      <DayChart
        firstDay={days[0]?.day ?? ''}
        table={{
          caption: messages.tableCaption,
          columns: messages.columns,
          rows: measured.map(({ day, medianMs, maxMs }) => [
            formatUtcDay(day),
            formatMilliseconds(medianMs),
            formatMilliseconds(maxMs),
          ]),
        }}
      >
        <ol className={styles.bars}>
          {days.map(({ day }) => {
            const found = byDay.get(day);
            const name = formatUtcDay(day);
            if (!found) return <li key={day} className={styles.day} title={messages.none(name)} />;
            return (
              <li key={day} className={styles.day} title={messages.day(name, found)}>
                <span className={styles.max} style={{ height: height(found.maxMs) }} />
                <span className={styles.median} style={{ height: height(found.medianMs) }} />
              </li>
            );
          })}
        </ol>
      </DayChart>
      <Text size="sm">
        {messages.day(formatUtcDay(last.day), last)}. {isCut && messages.isCut(topMs)}
      </Text>
    </div>
  );
}
