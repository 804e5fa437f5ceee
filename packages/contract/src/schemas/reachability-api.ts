import Type from 'typebox';
import { HEALTH_SIGNALS, type HealthSignal } from '../site-health.ts';
import { nullable, timestamp, trueOnly } from './common.ts';

/** The days in the reachability chart of a site, including today. */
export const REACHABILITY_DAYS = 30;

export const REACHABILITY_STATES = ['up', 'down'] as const;
export type ReachabilityState = (typeof REACHABILITY_STATES)[number];

const ReachabilityDay = Type.Object({
  day: Type.String({ description: 'A date in UTC.' }),
  checks: Type.Integer({ description: '0: the site was not checked on this day.' }),
  failed: Type.Integer(),
  seconds_down: Type.Integer(),
  response_median_ms: Type.Unsafe<number | null>({
    ...nullable.integer(),
    description:
      'How long the home page took: the median of the day, within an eighth. Null: no check that counts.',
  }),
  response_max_ms: nullable.integer(),
});
export type ReachabilityDay = Type.Static<typeof ReachabilityDay>;

export const SiteReachability = Type.Object({
  state: Type.Unsafe<ReachabilityState | null>({
    type: ['string', 'null'],
    enum: [...REACHABILITY_STATES, null],
    description:
      'Null: not known. The site was not checked in the last two hours, or its first check failed and is not confirmed yet.',
  }),
  since: nullable.timestamp(),
  reason: Type.Unsafe<string | null>({
    ...nullable.string(),
    description: 'Why the site is down, as a sentence for users.',
  }),
  signal: Type.Unsafe<HealthSignal | null>({
    type: ['string', 'null'],
    enum: [...HEALTH_SIGNALS, null],
    description: 'What failed: the home page, or the application behind it.',
  }),
  checked_at: nullable.timestamp(),
  certificate_expires_at: nullable.timestamp(),
  days: Type.Array(ReachabilityDay, {
    description: `The last ${REACHABILITY_DAYS} days, the oldest first.`,
  }),
  outages: Type.Array(
    Type.Object({ started_at: timestamp(), ended_at: nullable.timestamp(), reason: Type.String() }),
    { description: 'The last 20 outages, the newest first.' },
  ),
});
export type SiteReachability = Type.Static<typeof SiteReachability>;
export const ReachabilityResponse = Type.Object({
  success: trueOnly(),
  reachability: SiteReachability,
});
