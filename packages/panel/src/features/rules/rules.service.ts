import {
  type AuditAction,
  type ChangeRuleRequest,
  CORE_SLUG,
  type CreateRuleRequest,
  describeRule,
  isManagementPlugin,
  RULES_MAX,
  type RuleTargetRequest,
  type UpdateRule,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import {
  countTargetSites,
  deleteRule,
  findTarget,
  insertRule,
  listRules,
  lockAndCountRules,
  lockRule,
  type RuleRow,
  type RuleTarget,
  updateRule,
} from './rules.repository.ts';

export type RuleService = ReturnType<typeof createRuleService>;

type Dependencies = { db: Database; clock: Clock; audit: AuditService };
type RuleValues = Pick<RuleRow, 'aspect' | 'level' | 'version' | 'days' | 'hours' | 'enabled'>;

/** Manages the rules that hold updates back. Only owners change them. */
export function createRuleService({ db, clock, audit }: Dependencies) {
  return {
    list: (): Promise<UpdateRule[]> => listRules(db),

    /** Counts the sites that a rule with this target would concern. */
    async countSites(target: RuleTargetRequest): Promise<number> {
      return countTargetSites(db, await toTarget(db, target));
    },

    create: (request: CreateRuleRequest, origin: AuditOrigin): Promise<UpdateRule> =>
      db.transaction().execute(async (trx) => {
        if ((await lockAndCountRules(trx)) >= RULES_MAX) throw new AppError('too_many_rules');
        const target = await toTarget(trx, request);
        const values = toValues({ ...request, ...pickItem(target) });
        const id = await insertRule(trx, {
          ...target,
          ...values,
          note: request.note?.trim() ?? '',
          created_by: userIdOf(origin),
          created_at: clock.now(),
        });
        if (id === null) throw new AppError('rule_exists');
        const rule = await findRule(trx, id);
        await audit.record(trx, origin, toRecord('create', rule));
        return rule;
      }),

    change: (id: number, request: ChangeRuleRequest, origin: AuditOrigin): Promise<UpdateRule> =>
      db.transaction().execute(async (trx) => {
        const current = await lockRule(trx, id);
        if (!current) throw new AppError('rule_not_found');
        if (current.revision !== request.revision) throw new AppError('rule_changed');
        const values = toValues({ ...request, aspect: current.aspect, ...pickItem(current) });
        const before = await findRule(trx, id);
        await updateRule(trx, id, { ...values, note: request.note?.trim() ?? current.note }).catch(
          (error) => {
            // The unique index: another rule already ignores this version.
            if (error?.code === '23505') throw new AppError('rule_exists', { cause: error });
            throw error;
          },
        );
        const rule = await findRule(trx, id);
        await audit.record(trx, origin, toRecord('change', rule, { before: describeRule(before) }));
        return rule;
      }),

    remove: (id: number, origin: AuditOrigin): Promise<void> =>
      db.transaction().execute(async (trx) => {
        if (!(await lockRule(trx, id))) throw new AppError('rule_not_found');
        const rule = await findRule(trx, id);
        await deleteRule(trx, id);
        await audit.record(trx, origin, toRecord('delete', rule));
      }),
  };

  async function findRule(trx: Database, id: number): Promise<UpdateRule> {
    const [rule] = await listRules(trx, id);
    if (!rule) throw new AppError('rule_not_found');
    return rule;
  }
}

/** The audit log keeps the rule in words, because its tag, site or software can be renamed. */
function toRecord(
  action: AuditAction<'update_rule'>,
  rule: UpdateRule,
  more: Record<string, unknown> = {},
): AuditEntry {
  const { id: entityId, site_id: siteId, note } = rule;
  const context = { rule: describeRule(rule), ...(note && { note }), ...more };
  return { action, entityType: 'update_rule', entityId, ...(siteId && { siteId }), context };
}

export function userIdOf({ actor }: AuditOrigin): number | null {
  return /^\d+$/.test(actor) ? Number(actor) : null;
}

/** Checks the target of a request, and that its tag, site and item exist. */
async function toTarget(db: Database, request: RuleTargetRequest): Promise<RuleTarget> {
  const { tag, site_id, item_type } = request;
  // Core has only one slug, so the slug of the request does not matter.
  const slug = item_type === 'core' ? CORE_SLUG : request.slug;
  if (tag !== undefined && site_id !== undefined) {
    throw invalid('A rule is for a tag or for a site. Send only one of tag and site_id.');
  }
  if (slug !== undefined && item_type === undefined) {
    throw invalid(
      'A rule with a slug needs item_type (--type on the command line): plugin, theme or core.',
    );
  }
  assertNotSteward(item_type, slug);
  const found = await findTarget(db, { ...request, ...(slug !== undefined && { slug }) });
  if (tag !== undefined && found.tag_id === null) throw new AppError('tag_not_found');
  if (site_id !== undefined && !found.has_site) throw new AppError('site_not_found');
  const isUnknown = slug !== undefined && item_type !== 'core' && !found.has_item;
  if (isUnknown) throw new AppError('software_not_found');
  return {
    tag_id: found.tag_id,
    site_id: site_id ?? null,
    item_type: item_type ?? null,
    slug: slug ?? null,
  };
}

/**
 * Self-update installs the Steward plugin. A rule that holds it back could leave the panel unable to manage the site.
 */
export function assertNotSteward(type: string | undefined, slug: string | undefined): void {
  if (type !== 'plugin' || slug === undefined || !isManagementPlugin(slug)) return;
  throw invalid('Rules and quarantine do not apply to the Steward plugin itself.');
}

/** Checks that the request has exactly the values of its aspect. */
function toValues(
  request: Pick<CreateRuleRequest, 'aspect' | 'level' | 'version' | 'days' | 'hours' | 'enabled'> &
    Pick<RuleTarget, 'item_type' | 'slug'>,
): RuleValues {
  const { aspect, level = null, version = null, days = null, hours = null, slug } = request;
  const { enabled = null } = request;
  const needsVersion = aspect === 'ignore' || level === 'pin';
  if ((aspect === 'level') !== (level !== null))
    throw invalid(
      `A rule with the aspect ${aspect} ${aspect === 'level' ? 'needs' : 'has no'} level.`,
    );
  if ((aspect === 'wait') !== (days !== null))
    throw invalid(
      `A rule with the aspect ${aspect} ${aspect === 'wait' ? 'needs' : 'has no'} days.`,
    );
  if ((aspect === 'backup') !== (hours !== null))
    throw invalid(
      `A rule with the aspect ${aspect} ${aspect === 'backup' ? 'needs' : 'has no'} hours.`,
    );
  if (needsVersion !== (version !== null))
    throw invalid(
      needsVersion
        ? 'A rule with the aspect ignore or the level pin needs a version.'
        : 'Only the aspect ignore and the level pin have a version.',
    );
  if (needsVersion && slug === null) {
    throw invalid(
      'A rule with a version needs one plugin, theme or core. Send item_type and slug.',
    );
  }
  if ((aspect === 'restore') !== (enabled !== null))
    throw invalid(
      `A rule with the aspect ${aspect} ${aspect === 'restore' ? 'needs' : 'has no'} enabled.`,
    );
  if (aspect === 'restore' && request.item_type === 'core') {
    throw invalid('Sites save no versions of WordPress core, so Steward cannot restore it.');
  }
  return { aspect, level, version: version?.trim() ?? null, days, hours, enabled };
}

const pickItem = ({ item_type, slug }: RuleTarget) => ({ item_type, slug });

function invalid(message: string): AppError {
  return new AppError('invalid_request', { message });
}
