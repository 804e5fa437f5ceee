import { canonicalSiteUrl } from '@steward/contract';
import type { RunKind } from '../../database/tables.ts';
import { type NewJob, URGENT } from '../../lib/queue.ts';

/** Low enough to let other hosts go first, not so low that every newer run does. */
const LOWEST_RANK = 20;

/**
 * Interleaved by host: only few calls go to one host at once, and a thousand sites of one provider
 * must not stand in the way of all others.
 */
export function jobsFor(tasks: { id: number; kind: RunKind; siteUrl: string }[]): NewJob[] {
  const rankOnHost = new Map<string, number>();
  return tasks.map(({ id, kind, siteUrl }) => {
    const host = hostOf(siteUrl);
    const rank = rankOnHost.get(host) ?? 0;
    rankOnHost.set(host, rank + 1);
    // Somebody sits and waits for a single action; a bulk update goes on for minutes anyway.
    const priority = kind === 'plugin_action' ? URGENT : -Math.min(rank, LOWEST_RANK);
    return { taskId: id, host, priority };
  });
}

function hostOf(siteUrl: string): string {
  const url = canonicalSiteUrl(siteUrl);
  return url.ok ? new URL(url.origin).hostname : siteUrl;
}
