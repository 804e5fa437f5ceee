import { compareVersions } from './compare-versions.ts';
import { RULE_BACKUP_HOURS_MAX } from './limits.ts';
import { isManagementPlugin } from './pending-updates.ts';
import type { Hold } from './schemas/holds.ts';
import type { SoftwareType } from './schemas/panel-sites-api.ts';
import {
  RULE_LEVELS,
  type RuleAspect,
  type RuleLevel,
  type RuleScope,
} from './schemas/rules-api.ts';
import { isSameVersion, isVersionAbove, VERSION_STEPS, versionStep } from './version-order.ts';

/** The fields of a rule that decide about a hold. */
export type DecidingRule = {
  id: number;
  scope: RuleScope;
  item_type: SoftwareType | null;
  slug: string | null;
  aspect: RuleAspect;
  level: RuleLevel | null;
  version: string | null;
  days: number | null;
  /** Only for `backup`. */
  hours?: number | null;
  /** Only for `restore`. */
  enabled?: boolean | null;
};

export type HoldQuestion = {
  item: { type: SoftwareType; slug: string };
  /** The installed version; null if the item is not installed yet. */
  oldVersion: string | null;
  newVersion: string;
  /** The rules of the site: those of the fleet, of its tags and of the site itself. */
  rules: readonly DecidingRule[];
  /** The open quarantine of the new version; null if there is none. */
  quarantineId: number | null;
  /** When the new version first appeared in the fleet; null if not known. */
  firstSeenAt: Date | null;
  /** Whether a backup of the site from the last hours is known. */
  hasBackup: (hours: number) => boolean;
  now: Date;
};

const DAY_MS = 86_400_000;

/**
 * Decides whether a rule or a quarantine holds a version back on a site. Permanent reasons come before a wait. The levels
 * `patch` and `minor`, a wait and a missing backup hold only a version that is newer than the installed one: a new installation
 * and the restore of an older version are decisions of a user.
 */
export function findHold(question: HoldQuestion): Hold | null {
  const { item, oldVersion, newVersion, quarantineId } = question;
  if (item.type === 'plugin' && isManagementPlugin(item.slug)) return null;
  if (quarantineId !== null) return { reason: 'quarantined', quarantine_id: quarantineId };
  const rules = question.rules.filter((rule) => isRuleFor(rule, item));
  if (rules.length === 0) return null;
  const isUpdate = oldVersion !== null && isVersionAbove(newVersion, oldVersion);
  return (
    findLevelHold(rules, question, isUpdate) ??
    findIgnoreHold(rules, newVersion) ??
    (isUpdate ? (findWaitHold(rules, question) ?? findBackupHold(rules, question)) : null)
  );
}

function findLevelHold(
  rules: DecidingRule[],
  { item, oldVersion, newVersion }: HoldQuestion,
  isUpdate: boolean,
): Hold | null {
  const rule = findDecidingRule(rules, 'level');
  if (!rule?.level || rule.level === 'all') return null;
  const rule_id = rule.id;
  if (rule.level === 'never') return { reason: 'never', rule_id };
  if (rule.level === 'pin') {
    const isAbovePin = isVersionAbove(newVersion, rule.version ?? '');
    return isAbovePin ? { reason: 'pinned', rule_id } : null;
  }
  if (!isUpdate) return null;
  const step = versionStep(oldVersion ?? '', newVersion, item.type);
  const isAllowed = VERSION_STEPS.indexOf(step) <= VERSION_STEPS.indexOf(rule.level);
  return isAllowed ? null : { reason: 'level', rule_id };
}

/** Every `ignore` rule applies. Unlike the other aspects, a more specific rule does not replace a general one. */
function findIgnoreHold(rules: DecidingRule[], newVersion: string): Hold | null {
  const rule = rules.find(
    ({ aspect, version }) =>
      aspect === 'ignore' && version !== null && isSameVersion(version, newVersion),
  );
  return rule ? { reason: 'ignored', rule_id: rule.id } : null;
}

function findWaitHold(
  rules: DecidingRule[],
  { firstSeenAt, now }: Pick<HoldQuestion, 'firstSeenAt' | 'now'>,
): Hold | null {
  const rule = findDecidingRule(rules, 'wait');
  if (!rule?.days) return null;
  const until = new Date((firstSeenAt ?? now).getTime() + rule.days * DAY_MS);
  return until > now ? { reason: 'waiting', rule_id: rule.id, until: until.toISOString() } : null;
}

function findBackupHold(
  rules: DecidingRule[],
  { hasBackup }: Pick<HoldQuestion, 'hasBackup'>,
): Hold | null {
  const rule = findDecidingRule(rules, 'backup');
  if (!rule?.hours || hasBackup(rule.hours)) return null;
  return { reason: 'no_backup', rule_id: rule.id };
}

/** Finds the most specific rule of an aspect, first by its sites, then by its items. Of equal rules the strictest wins. */
export function findDecidingRule<Rule extends DecidingRule>(
  rules: readonly Rule[],
  aspect: 'level' | 'wait' | 'backup' | 'restore',
): Rule | undefined {
  return rules
    .filter((rule) => rule.aspect === aspect)
    .toSorted((a, b) => specificityOf(b) - specificityOf(a) || compareStrictness(a, b))[0];
}

const SCOPE_RANKS: Record<RuleScope, number> = { fleet: 0, tag: 3, site: 6 };

function specificityOf({ scope, item_type, slug }: DecidingRule): number {
  return SCOPE_RANKS[scope] + (slug !== null ? 2 : item_type !== null ? 1 : 0);
}

/** Negative if `a` is stricter: a lower level, a lower pin, a longer wait, a younger backup, no restore by itself. */
function compareStrictness(a: DecidingRule, b: DecidingRule): number {
  return (
    RULE_LEVELS.indexOf(a.level ?? 'all') - RULE_LEVELS.indexOf(b.level ?? 'all') ||
    (a.level === 'pin' ? compareVersions(a.version ?? '', b.version ?? '') : 0) ||
    (b.days ?? 0) - (a.days ?? 0) ||
    toBackupHours(a) - toBackupHours(b) ||
    Number(a.enabled ?? false) - Number(b.enabled ?? false) ||
    a.id - b.id
  );
}

/** 0 hours: no backup is necessary. */
const toBackupHours = ({ hours }: DecidingRule) => hours || RULE_BACKUP_HOURS_MAX + 1;

export function isRuleFor(
  { item_type, slug }: Pick<DecidingRule, 'item_type' | 'slug'>,
  item: { type: SoftwareType; slug: string },
): boolean {
  if (item_type === null) return true;
  return item_type === item.type && (slug === null || isSameSlug(slug, item.slug));
}

/** `other` may be the slug of the public directory, which is only the folder: `akismet` for `akismet/akismet.php`. */
export function isSameSlug(slug: string, other: string): boolean {
  if (slug === other) return true;
  return !other.includes('/') && !other.endsWith('.php') && slug.startsWith(`${other}/`);
}
