/** The time in which the worker may call a site. */
export type CallWindow = { opensAt: Date; closesAt: Date };

export type WindowState = 'before' | 'open' | 'closed';

/** A window is open from `opensAt` until just before `closesAt`. */
export function windowState({ opensAt, closesAt }: CallWindow, now: Date): WindowState {
  if (now < opensAt) return 'before';
  return now < closesAt ? 'open' : 'closed';
}

/** Whether the window never opens: the change to summer time can skip a short window completely. */
export const isEmptyWindow = ({ opensAt, closesAt }: CallWindow): boolean => closesAt <= opensAt;

/** The columns of a task with its window. Null: the site may be called at any time. */
type TaskWindow = { window_opens_at: Date | null; window_closes_at: Date | null };

function windowOf({ window_opens_at, window_closes_at }: TaskWindow): CallWindow | null {
  if (window_opens_at === null || window_closes_at === null) return null;
  return { opensAt: window_opens_at, closesAt: window_closes_at };
}

/** After its window has closed, a task gets the next window within a minute. */
const CLOSED_WINDOW_WAIT_SECONDS = 30;

/**
 * Returns how long the task must wait: 0 without a window and while the window is open. After the window has closed,
 * the task waits until the scheduler gives it the next window. A closed window never stops a call in flight.
 */
export function secondsUntilWindow(task: TaskWindow, now: Date): number {
  const window = windowOf(task);
  if (window === null) return 0;
  const state = windowState(window, now);
  if (state === 'before') return Math.ceil((window.opensAt.getTime() - now.getTime()) / 1000);
  return state === 'closed' ? CLOSED_WINDOW_WAIT_SECONDS : 0;
}

/** Whether the task has a window that is open now. It may have waited for a week. */
export function isInWindow(task: TaskWindow, now: Date): boolean {
  const window = windowOf(task);
  return window !== null && windowState(window, now) === 'open';
}

/** Whether the task would wait forever: its window has closed, and its schedule was deleted, so no window follows. */
export function hasNoNextWindow(
  { schedule_id, ...task }: TaskWindow & { schedule_id: number | null },
  now: Date,
): boolean {
  const window = windowOf(task);
  return schedule_id === null && window !== null && windowState(window, now) === 'closed';
}
