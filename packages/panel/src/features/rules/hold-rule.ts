import {
  type DecidingRule,
  findDecidingRule,
  findHold,
  type Hold,
  isRuleFor,
  isSameSlug,
  isSameVersion,
  type RuleScope,
  type SoftwareType,
} from '@steward/contract';
import type { QuarantineRow } from './quarantine.repository.ts';

export type Item = { type: SoftwareType; slug: string };

/** An open quarantine. */
export type Quarantine = Pick<
  QuarantineRow,
  'id' | 'item_type' | 'slug' | 'name' | 'version' | 'reason'
>;

export type Restrictions<Rule extends DecidingRule = DecidingRule> = {
  /** The rules of the site: those of the fleet, of its tags and of the site itself. */
  rules: Rule[];
  quarantined: Quarantine[];
  /** Whether a backup of the site from the last hours is known. */
  hasBackup: (hours: number) => boolean;
};

/** Whether a rule is for this site, for one of its tags or for all sites. */
export function isRuleOfSite(
  rule: { scope: RuleScope; site_id: number | null; tag_id: number | null },
  { siteId, tagIds }: { siteId: number; tagIds: number[] },
): boolean {
  if (rule.scope === 'fleet') return true;
  return rule.site_id === siteId || (rule.tag_id !== null && tagIds.includes(rule.tag_id));
}

/** Finds the hold of a version on a site. `oldVersion` is null if the item is not installed yet. */
export function findHoldOf(
  {
    type,
    slug,
    ...versions
  }: Item & {
    oldVersion: string | null;
    version: string;
    firstSeenAt: Date | null;
  },
  { rules, quarantined, hasBackup }: Restrictions,
  now: Date,
): Hold | null {
  const { oldVersion, version, firstSeenAt } = versions;
  const quarantine = quarantined.find((row) => isQuarantined(row, { type, slug, version }));
  return findHold({
    ...{ item: { type, slug }, oldVersion, newVersion: version, rules, firstSeenAt, now },
    quarantineId: quarantine?.id ?? null,
    hasBackup,
  });
}

/** Whether some version of the item can be held on the site. */
export function isConcerned(item: Item, { rules, quarantined, hasBackup }: Restrictions): boolean {
  if (quarantined.some((row) => isQuarantineFor(row, item))) return true;
  const rulesOfItem = rules.filter((rule) => isRuleFor(rule, item));
  const level = findDecidingRule(rulesOfItem, 'level')?.level ?? 'all';
  const days = findDecidingRule(rulesOfItem, 'wait')?.days ?? 0;
  const hours = findDecidingRule(rulesOfItem, 'backup')?.hours ?? 0;
  return (
    level !== 'all' ||
    days > 0 ||
    (hours > 0 && !hasBackup(hours)) ||
    rulesOfItem.some(({ aspect }) => aspect === 'ignore')
  );
}

/** Whether a version of some item can be held on the site. */
export function canHold({ rules, quarantined, hasBackup }: Restrictions): boolean {
  return quarantined.length > 0 || rules.some((rule) => canRuleHold(rule, hasBackup));
}

/** Finds the quarantine or else the rule to name as the reason why a version of the item can be held. */
export function findRestriction<Rule extends DecidingRule>(
  item: Item,
  { rules, quarantined, hasBackup }: Restrictions<Rule>,
): { quarantine?: Quarantine | undefined; rule?: Rule | undefined } {
  const quarantine = quarantined.find((row) => isQuarantineFor(row, item));
  if (quarantine) return { quarantine };
  return { rule: rules.find((rule) => isRuleFor(rule, item) && canRuleHold(rule, hasBackup)) };
}

/** The level `all`, a wait of 0 days and a backup that exists hold no version. */
const canRuleHold = (
  { aspect, level, days, hours }: DecidingRule,
  hasBackup: Restrictions['hasBackup'],
) =>
  aspect === 'ignore' ||
  (level !== null && level !== 'all') ||
  (days ?? 0) > 0 ||
  (!!hours && !hasBackup(hours));

/** Whether the quarantine is for a version of the item. */
export function isQuarantineFor(
  { item_type, slug }: Pick<Quarantine, 'item_type' | 'slug'>,
  item: { type: string; slug: string },
): boolean {
  return item_type === item.type && isSameSlug(slug, item.slug);
}

export function isQuarantined(
  row: Pick<Quarantine, 'item_type' | 'slug' | 'version'>,
  item: { type: string; slug: string; version: string },
): boolean {
  return isQuarantineFor(row, item) && isSameVersion(row.version, item.version);
}
