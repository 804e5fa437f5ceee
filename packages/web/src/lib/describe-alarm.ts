import type { SiteAlarmReport } from '@steward/contract';
import { siteStatusMessages } from '../messages/site-status.ts';

const { alarms } = siteStatusMessages;

/** Describes the alarm of a site and the next step. */
export function describeAlarm({ kind }: Pick<SiteAlarmReport, 'kind'>): {
  title: string;
  meaning: string;
} {
  return kind === 'foreign_call' ? alarms.foreign_call : alarms.log_changed;
}
