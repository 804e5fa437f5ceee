import { Text, Title } from '@mantine/core';
import { NameText } from '../../../components/name-text.tsx';
import { toDay } from '../../../lib/days.ts';
import { browserZone } from '../../../lib/time-zones.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import type { Schedule, UpcomingWindow } from '../api.ts';
import { addDays, type LocalTime, toLocalTime } from '../window-times.ts';
import styles from './schedule-calendar.module.css';

const messages = schedulesMessages.calendar;
const DAYS = 14;

const headingFormat = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
type Props = { schedules: Schedule[]; upcoming: UpcomingWindow[] };

/**
 * The windows of the next 14 days. A window in the time zone of each site is on its day there, the others are in the time
 * zone of the browser. On phones, only days with windows.
 */
export function ScheduleCalendar({ schedules, upcoming }: Props) {
  const today = toDay(new Date());
  const days = Array.from({ length: DAYS }, (_, index) => addDays(today, index));
  const schedulesById = new Map(schedules.map((schedule) => [schedule.schedule_id, schedule]));
  const bars = upcoming.map((window) => {
    const schedule = schedulesById.get(window.schedule_id);
    const isSiteTime = schedule?.in_site_zone === true;
    const zone = isSiteTime ? schedule.time_zone : browserZone();
    const [opens, closes] = [window.opens_at, window.closes_at].map((iso) =>
      toLocalTime(new Date(iso), zone),
    ) as [LocalTime, LocalTime];
    return { window, schedule, isSiteTime, opens, closes, isFromEarlierDay: opens.day < today };
  });
  // A window that opened yesterday can still be open. It is shown today.
  const byDay = Map.groupBy(bars, ({ opens, isFromEarlierDay }) =>
    isFromEarlierDay ? today : opens.day,
  );
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
            {byDay.get(day)?.map((bar) => (
              <Bar key={`${bar.window.schedule_id} ${bar.window.opens_at}`} {...bar} />
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

type BarProps = {
  window: UpcomingWindow;
  schedule: Schedule | undefined;
  isSiteTime: boolean;
  opens: LocalTime;
  closes: LocalTime;
  isFromEarlierDay: boolean;
};

function Bar({ window, schedule, isSiteTime, opens, closes, isFromEarlierDay }: BarProps) {
  const times = isFromEarlierDay
    ? messages.until(closes.time)
    : messages.times(opens.time, closes.time);
  return (
    <div className={styles.bar} title={schedule && messages.windowTitle(schedule)}>
      <div className={styles.name}>
        <NameText>{window.name}</NameText>
      </div>
      <div className="tabular">{isSiteTime ? messages.siteTime(times) : times}</div>
    </div>
  );
}
