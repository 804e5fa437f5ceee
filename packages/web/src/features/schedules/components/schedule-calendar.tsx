import { Text, Title } from '@mantine/core';
import { toDay } from '../../../lib/days.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import type { Schedule, UpcomingWindow } from '../api.ts';
import { addDays } from '../window-times.ts';
import styles from './schedule-calendar.module.css';

const messages = schedulesMessages.calendar;
const DAYS = 14;

const headingFormat = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const timeFormat = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const formatTime = (iso: string) => timeFormat.format(new Date(iso));

type Props = { schedules: Schedule[]; upcoming: UpcomingWindow[] };

/** The windows of the next 14 days in the time zone of the browser. On phones, only days with windows. */
export function ScheduleCalendar({ schedules, upcoming }: Props) {
  const today = toDay(new Date());
  const days = Array.from({ length: DAYS }, (_, index) => addDays(today, index));
  // A window that opened yesterday can still be open. It is shown today.
  const byDay = Map.groupBy(upcoming, ({ opens_at }) => {
    const day = toDay(new Date(opens_at));
    return day < today ? today : day;
  });
  const schedulesById = new Map(schedules.map((schedule) => [schedule.schedule_id, schedule]));
  return (
    <section className={styles.section}>
      <Title order={2}>{messages.title}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        {upcoming.length === 0 ? messages.nothing : messages.note}
      </Text>
      <ol className={styles.days} aria-label={messages.label}>
        {days.map((day) => (
          <li key={day} className={styles.day} data-empty={byDay.has(day) ? undefined : true}>
            <div className={styles.heading}>
              {day === today ? messages.today : headingFormat.format(new Date(`${day}T00:00Z`))}
            </div>
            {byDay.get(day)?.map((window) => (
              <Bar
                key={`${window.schedule_id} ${window.opens_at}`}
                window={window}
                isFromEarlierDay={toDay(new Date(window.opens_at)) < today}
                schedule={schedulesById.get(window.schedule_id)}
              />
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

type BarProps = {
  window: UpcomingWindow;
  isFromEarlierDay: boolean;
  schedule: Schedule | undefined;
};

function Bar({ window, isFromEarlierDay, schedule }: BarProps) {
  const { name, opens_at, closes_at } = window;
  return (
    <div className={styles.bar} title={schedule && messages.windowTitle(schedule)}>
      <div className={`${styles.name} truncate`}>{name}</div>
      <div className="tabular">
        {isFromEarlierDay
          ? messages.until(formatTime(closes_at))
          : messages.times(formatTime(opens_at), formatTime(closes_at))}
      </div>
    </div>
  );
}
