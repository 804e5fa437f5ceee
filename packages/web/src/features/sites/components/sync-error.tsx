import type { SiteDetails } from '@steward/contract';
import { ErrorNote } from '../../../components/error-note.tsx';
import { ApiError } from '../../../lib/api.ts';
import type { SyncMutation } from '../use-sync-site.ts';

/** The error of a failed sync, unless `FaultBanner` already shows it. */
export function SyncError({ site, sync }: { site: SiteDetails; sync: SyncMutation }) {
  if (sync.isPending) return null;
  if (sync.error) return <ErrorNote error={sync.error} />;
  const { task, runId } = sync.data ?? {};
  if (!task || task.status === 'succeeded' || site.fault?.run_id === runId) return null;
  return <ErrorNote error={new ApiError(task.http_status ?? 0, { ...task })} />;
}
