import { Text } from '@mantine/core';
import { useClientNames } from '../../../lib/use-client-names.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import { type FormValues, toPlan, toSelection, toUpdates } from '../form-values.ts';
import { findNextDay, type LocalTime } from '../window-times.ts';

const messages = schedulesMessages.dialog;

/** Shows what the schedule will do, and its next start. */
export function ScheduleSummary({ values, now }: { values: FormValues; now: LocalTime }) {
  const plan = toPlan(values, now);
  const selection = toSelection(values);
  const nameOfClient = useClientNames();
  const updates = toUpdates(values);
  const hasDays = plan.once_on === null ? plan.weekdays.length > 0 : plan.once_on !== '';
  if (!selection || !hasDays || !updates) return null;
  const isPast = plan.once_on !== null && isOver(plan.once_on, plan, now);
  const day = isPast ? null : findNextDay(plan, now);
  const sites = messages.summarySites(selection, nameOfClient);
  return (
    <div role="status">
      <Text>
        {messages.summary(updates, sites, plan)}{' '}
        {day === null ? messages.noNext : messages.next(day, plan.opens_at, plan.in_site_zone)}
      </Text>
      <Text size="sm" c="dimmed">
        {messages.closing(plan.once_on !== null)}
      </Text>
    </div>
  );
}

/** Whether the window of a single day has closed. */
function isOver(day: string, plan: { opens_at: string; closes_at: string }, now: LocalTime) {
  return findNextDay({ ...plan, weekdays: [], once_on: day }, now) !== day;
}
