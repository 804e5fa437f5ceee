import { Text } from '@mantine/core';
import { explainScheduleFailure } from '@steward/contract';
import { IconAlertTriangle } from '@tabler/icons-react';
import { schedulesMessages } from '../../../messages/schedules.ts';
import type { Schedule } from '../api.ts';
import styles from './schedule-table.module.css';

const messages = schedulesMessages.table;

/** Why the schedule did not start, and what it cannot update. */
export function Warnings({ schedule }: { schedule: Schedule }) {
  return listWarnings(schedule).map((warning) => (
    <Text key={warning} size="sm" component="div" role="note" className={styles.warning}>
      <IconAlertTriangle size={15} aria-hidden className={styles.icon} />
      <span>{warning}</span>
    </Text>
  ));
}

function listWarnings(schedule: Schedule): string[] {
  const { items, last_error_code, sites_left_out } = schedule;
  const missing = items.filter(({ is_missing }) => is_missing);
  // The failure says the same of all sites.
  const isLeftOut = sites_left_out > 0 && last_error_code !== 'plugin_too_old';
  return [
    ...(last_error_code === null ? [] : [describeFailure(schedule, last_error_code)]),
    ...(missing.length === 0 ? [] : [messages.missingItems(missing)]),
    ...(isLeftOut ? [messages.leftOut(sites_left_out)] : []),
  ];
}

function describeFailure({ last_day, enabled }: Schedule, code: string): string {
  const { message, next } = explainScheduleFailure(code);
  const nextStep = next === 'wait' && !enabled ? messages.enableToRetry : messages.nextSteps[next];
  return `${messages.didNotStart(last_day, message)} ${nextStep}`;
}
