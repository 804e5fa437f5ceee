import type { OpenTask } from './tasks.repository.ts';

/** After its window has closed, a task gets the next window within a minute. */
const CLOSED_WINDOW_WAIT_SECONDS = 30;

/**
 * Returns how long the task must wait: 0 without a window and while the window is open. After the window has closed,
 * the task waits until the scheduler gives it the next window. A closed window never stops a call in flight.
 */
export function secondsUntilWindow(
  { window_opens_at, window_closes_at }: OpenTask,
  now: Date,
): number {
  if (window_opens_at === null || window_closes_at === null) return 0;
  if (now < window_opens_at) return Math.ceil((window_opens_at.getTime() - now.getTime()) / 1000);
  return now < window_closes_at ? 0 : CLOSED_WINDOW_WAIT_SECONDS;
}

/** Whether the task has a window that is open now. It may have waited for a week. */
export const isInWindow = (task: OpenTask, now: Date): boolean =>
  task.window_opens_at !== null && secondsUntilWindow(task, now) === 0;

/** Whether the task would wait forever: its window has closed, and its schedule was deleted, so no window follows. */
export const hasNoNextWindow = (
  { window_closes_at, schedule_id }: Pick<OpenTask, 'window_closes_at' | 'schedule_id'>,
  now: Date,
): boolean => window_closes_at !== null && window_closes_at <= now && schedule_id === null;
