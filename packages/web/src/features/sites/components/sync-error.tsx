import type { SiteDetails } from '@steward/contract';
import { ErrorNote } from '../../../components/error-note.tsx';
import { ApiError } from '../../../lib/api.ts';
import { describeSiteProblem } from '../../../lib/describe-site-problem.ts';
import type { SyncMutation } from '../use-sync-site.ts';

/** The error of a failed sync, unless `FaultBanner` already shows it. */
export function SyncError({ site, sync }: { site: SiteDetails; sync: SyncMutation }) {
  if (sync.isPending) return null;
  if (sync.error) return <ErrorNote error={sync.error} />;
  const { task, runId } = sync.data ?? {};
  // `FaultBanner` shows no fault while the site has an alarm.
  const isInBanner = site.fault?.run_id === runId && describeSiteProblem(site) !== null;
  if (!task || task.status === 'succeeded' || isInBanner) return null;
  return <ErrorNote error={new ApiError(task.http_status ?? 0, { ...task })} />;
}
