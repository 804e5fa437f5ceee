import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** What a user must do so that a schedule starts again. `wait`: nothing; the schedule tries again in its next window. */
export type ScheduleNextStep = 'choose_sites' | 'take_over' | 'update_plugin' | 'wait';

type ScheduleFailure = { message: string; next: ScheduleNextStep };

/** Why a schedule did not start, for the screens and the command line. */
const SCHEDULE_FAILURES = {
  last_start_unfinished: {
    message:
      'The updates of an earlier window have not finished. The schedule completes them first.',
    next: 'wait',
  },
  missed_window: {
    message: 'The window passed without a start, for example because no worker was running.',
    next: 'wait',
  },
  no_matching_site: { message: 'No site matches the selection.', next: 'choose_sites' },
  plugin_too_old: {
    message:
      'The Steward plugin is too old to update single items on all sites with these updates.',
    next: 'update_plugin',
  },
  token_ended: {
    message:
      'The access token that created this schedule was revoked, has expired, or lost access to its sites.',
    next: 'take_over',
  },
  too_many_sites: { message: 'More than 10,000 sites match.', next: 'choose_sites' },
  waits_for_proof: {
    message:
      'All pending versions wait for proof in a rollout of this schedule. Open the page Rollouts and choose what happens next.',
    next: 'wait',
  },
  user_disabled: {
    message: 'The user whose access this schedule uses is disabled or deleted.',
    next: 'take_over',
  },
  user_may_not_update: {
    message: 'The user whose access this schedule uses may only view sites.',
    next: 'take_over',
  },
} as const satisfies Record<string, ScheduleFailure>;

/** An error code, such as `held_version`, if the panel refused to create the run or the rollout. */
export type ScheduleFailureCode = keyof typeof SCHEDULE_FAILURES | ErrorCode;

export function explainScheduleFailure(code: string): ScheduleFailure {
  const failures: Record<string, ScheduleFailure> = SCHEDULE_FAILURES;
  const errors: Record<string, { message: string }> = ERROR_CODES;
  const { message } = errors[code] ?? { message: `The start was refused (${code}).` };
  return failures[code] ?? { message, next: 'wait' };
}
