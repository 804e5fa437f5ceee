import type { CallWindow } from './call-window.ts';
import { refusedResult } from './outcome/task-outcome.ts';
import type { NewTask } from './runs.repository.ts';
import type { TaskItems } from './task-items.ts';

/** For a site that does not exist or that the user may not see. */
export const HIDDEN_SITE: TaskItems = { items: null, refusal: refusedResult('site_not_found') };

type PlannedSite = { siteId: number; siteUrl: string | null; position: number };

/** Plans the task of a site. A refused task ends at once. */
export function planTask(
  { siteId: site_id, siteUrl: site_url, position }: PlannedSite,
  { items, refusal, held = null }: TaskItems,
  window: CallWindow | undefined,
  now: Date,
): { task: NewTask; refusal: TaskItems['refusal'] } {
  const window_opens_at = window?.opensAt ?? null;
  const window_closes_at = window?.closesAt ?? null;
  const planned = { site_id, position, site_url, items, held, window_opens_at, window_closes_at };
  if (!refusal) return { task: { ...planned, status: 'queued' }, refusal };
  const { status, code, error } = refusal;
  return { task: { ...planned, status, code, error, finished_at: now }, refusal };
}
