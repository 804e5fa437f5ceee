import { DELETION_WINDOW_MINUTES, UNCONFIRMED_DELETIONS_MAX } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Trx } from '../../platform/database/handles.ts';
import { type Deletion, listDeletionsSince, lockDeletions } from './deletions.repository.ts';

const WINDOW_MS = DELETION_WINDOW_MINUTES * 60_000;

/**
 * Throws if the session must be confirmed before it deletes a plugin on `count` more sites, or if the access token has
 * reached its limit. Call it in the transaction that stores the run.
 */
export async function assertMayDelete(
  trx: Trx,
  origin: AuditOrigin,
  count: number,
  now: Date,
): Promise<void> {
  const { session, token } = origin;
  // The operator at the command line.
  if (!session && !token) return;
  if (session?.isConfirmed) return;
  if (count > UNCONFIRMED_DELETIONS_MAX) {
    throw new AppError(token ? 'token_not_allowed' : 'confirmation_required');
  }
  // Two requests at the same time must not both pass.
  await lockDeletions(trx, origin);
  const since = new Date(now.getTime() - WINDOW_MS);
  const recent = await listDeletionsSince(trx, origin, since);
  const allowedAt = findAllowedTime(recent, count);
  if (allowedAt === null) return;
  if (!token) throw new AppError('confirmation_required');
  throw new AppError('rate_limited', {
    message: `This access token has deleted plugins on ${sum(recent)} sites in the last ${DELETION_WINDOW_MINUTES} minutes; the limit is ${UNCONFIRMED_DELETIONS_MAX}. Nothing was deleted. Try again later, or delete the plugin in the panel.`,
    retryAfterSeconds: Math.max(1, Math.ceil((allowedAt.getTime() - now.getTime()) / 1000)),
  });
}

/** Returns the time at which `count` more deletions are within the limit; null: they are now. */
export function findAllowedTime(recent: readonly Deletion[], count: number): Date | null {
  let excess = sum(recent) + count - UNCONFIRMED_DELETIONS_MAX;
  let allowedAt: Date | null = null;
  for (const { at, sites } of recent) {
    if (excess <= 0) break;
    excess -= sites;
    allowedAt = new Date(at.getTime() + WINDOW_MS);
  }
  return allowedAt;
}

const sum = (deletions: readonly Deletion[]) =>
  deletions.reduce((total, { sites }) => total + sites, 0);
