import { findPagePathProblem, PAGE_PATH_PROBLEMS } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { updateSite } from './sites.repository.ts';
import { lockSites } from './tags.repository.ts';

/** The pages of a site that its health check opens too, such as a checkout. */
export type CheckedPagesService = {
  /** An empty list removes all pages. */
  set(user: CurrentUser, siteId: number, paths: string[], origin: AuditOrigin): Promise<void>;
};

type Dependencies = { db: Database; audit: AuditService };

export function createCheckedPagesService({ db, audit }: Dependencies): CheckedPagesService {
  return {
    async set(user, siteId, paths, origin) {
      const checked_pages = [...new Set(paths)];
      for (const path of checked_pages) assertCanBeChecked(path);
      await db.transaction().execute(async (trx) => {
        const [lockedId] = await lockSites(trx, isVisibleTo(user, 's'), [siteId]);
        if (lockedId === undefined) throw new AppError('site_not_found');
        await updateSite(trx, siteId, { checked_pages });
        const action = 'set_checked_pages';
        const context = { checked_pages };
        const record = { action, entityType: 'site', entityId: siteId, siteId, context } as const;
        await audit.record(trx, origin, [record]);
      });
    },
  };
}

const SHOWN_MAX_LENGTH = 100;

function assertCanBeChecked(path: string): void {
  const problem = findPagePathProblem(path);
  if (problem === null) return;
  const shown =
    path.length > SHOWN_MAX_LENGTH
      ? `${path.slice(0, SHOWN_MAX_LENGTH)}…`
      : path || 'An empty line';
  throw new AppError('invalid_page_path', {
    message: `“${shown}” cannot be checked. ${PAGE_PATH_PROBLEMS[problem]}`,
  });
}
