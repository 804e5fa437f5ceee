import Type from 'typebox';
import { SITE_ALARMS, type SiteAlarm } from '../site-status.ts';
import { nullable, stringEnum, timestamp } from './common.ts';

/** Problems of a site, found by calls, by pings or in its call log. */

export type SiteFaultReport = {
  code: string;
  error: string;
  at: string;
  run_id: number | null;
};

export const faultReport = Type.Unsafe<SiteFaultReport | null>({
  ...Type.Object({
    code: Type.String(),
    error: Type.String({ description: 'A sentence for users.' }),
    at: timestamp(),
    run_id: nullable.integer(),
  }),
  type: ['object', 'null'],
  description: 'The present fault of the site, found by a call or by pings. Null: no known fault.',
});

export type SiteAlarmReport = {
  kind: SiteAlarm;
  at: string;
  route: string | null;
  called_at: string | null;
};

export const alarmReport = Type.Unsafe<SiteAlarmReport | null>({
  ...Type.Object({
    kind: stringEnum(SITE_ALARMS),
    at: timestamp(),
    route: nullable.string(),
    called_at: nullable.timestamp(),
  }),
  type: ['object', 'null'],
  description:
    'The site executed a call that the panel did not make (`foreign_call`, with its route and time), or its call log was altered (`log_changed`). The alarm stays until a user dismisses it.',
});
