import type { BulkUpdateResponse, RunKind } from '@steward/contract';
import type { PluginActionBody, SiteOutcome, SiteResponse } from '../../../site-client/index.ts';
import type { OutsideCheck } from '../../health/index.ts';

type Answered = Extract<SiteOutcome<SiteResponse>, { kind: 'answered' }>;
type Body = BulkUpdateResponse | PluginActionBody;

/**
 * Adds the check of the panel to a response whose items the site could not verify. They stay unverified, also if the panel
 * found nothing: it sees fewer pages than the site.
 */
export function applyVerdict(
  outcome: Answered & { body: Body },
  kind: RunKind,
  { verdict, isRolledBack, pageCheck }: OutsideCheck,
): SiteOutcome<SiteResponse> {
  const { body } = outcome;
  if (verdict !== 'broken') return { ...outcome, pageCheck };
  if ('results' in body) {
    // The pages were checked before the rollback. Only core cannot be rolled back.
    const isLeft = body.results.core?.verified === false;
    const failed = { ...outcome, body: markAsFailed(body, kind, isRolledBack) };
    return isLeft ? { ...failed, pageCheck } : failed;
  }
  const error = messageFor(kind, isRolledBack);
  return { kind: 'refused', httpStatus: 500, code: 'action_failed', error };
}

/** Marks the unverified items as failed: one of them broke the site. Core stays unverified, because it cannot be rolled back. */
function markAsFailed(
  body: BulkUpdateResponse,
  kind: RunKind,
  isRolledBack: boolean,
): BulkUpdateResponse {
  const error = messageFor(kind, isRolledBack);
  const versionAfterRollback = ({ old_version, new_version }: Item) =>
    kind === 'install' ? '' : (old_version ?? new_version);
  type Item = BulkUpdateResponse['results']['plugins'][number];
  const toFailedItem = ({ verified, ...item }: Item): Item =>
    verified === false
      ? {
          ...item,
          success: false,
          error,
          ...(isRolledBack && { new_version: versionAfterRollback(item), rolled_back: true }),
        }
      : item;
  const { plugins, themes } = body.results;
  const errorsOf = (type: 'plugin' | 'theme', items: Item[]) =>
    items
      .filter(({ verified }) => verified === false)
      .map(({ slug }) => ({ type, slug, error }) as const);
  return {
    success: false,
    results: {
      ...body.results,
      plugins: plugins.map(toFailedItem),
      themes: themes.map(toFailedItem),
    },
    errors: [...body.errors, ...errorsOf('plugin', plugins), ...errorsOf('theme', themes)],
  };
}

function messageFor(kind: RunKind, isRolledBack: boolean): string {
  if (kind === 'install') {
    return isRolledBack
      ? 'The site showed an error after the installation, so Steward removed the new files.'
      : 'The site showed an error after the installation, and Steward could not remove the new files: they are left on the site. Remove them there.';
  }
  if (kind === 'restore') {
    return isRolledBack
      ? 'The site showed an error with the restored version, so Steward put the newer version back.'
      : 'The site showed an error with the restored version, and Steward could not put the newer version back. Check the site.';
  }
  return isRolledBack
    ? 'The site showed an error after the update, so Steward rolled back to the old version.'
    : 'The site showed an error after the update, and the rollback failed. Restore the old version on the site.';
}
