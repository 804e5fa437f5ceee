import { describeRule } from '@steward/contract';
import type { Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { TroubledWatch } from '../release-health/index.ts';
import { findRestoreRule } from '../rules/index.ts';
import { OPERATOR } from '../site-access/index.ts';
import { WORKER_ORIGIN } from './cancel-runs.ts';
import type { RunService } from './runs.service.ts';
import { listSavedVersions } from './task-items.repository.ts';

type Dependencies = { runs: Pick<RunService, 'createWithin'>; audit: Pick<AuditService, 'record'> };

/**
 * Restores the saved version of an item after an update with trouble, if a rule says so. Returns the id of the run; null if
 * no rule does, or if the site has not saved this version. The caller has locked the watch, so it happens once.
 */
export function createRestoreByRule({ runs, audit }: Dependencies) {
  return async (trx: Trx, watch: TroubledWatch): Promise<number | null> => {
    const { type, slug, name, site_id: siteId, from_version: version, to_version, error } = watch;
    if (type === 'core' || version === null) return null;
    const rule = await findRestoreRule(trx, siteId, { type, slug });
    if (!rule) return null;
    const items = [{ type, slug, version }];
    const saved = await listSavedVersions(trx, [siteId], items);
    if (!saved.some((each) => each.version === version)) return null;
    const input = { kind: 'restore' as const, siteIds: [siteId], request: { items } };
    const runId = await runs.createWithin(trx, OPERATOR, input, WORKER_ORIGIN);
    const { message, place, request_kind } = error;
    await audit.record(trx, WORKER_ORIGIN, {
      action: 'restore_by_rule',
      entityType: 'update_rule',
      entityId: rule.id,
      siteId,
      context: {
        ...{ run_id: runId, rule: describeRule(rule), type, slug, name },
        ...{ old_version: to_version, new_version: version, error: message, place, request_kind },
      },
    });
    return runId;
  };
}
