import type { Hold } from './schemas/holds.ts';
import type { RuleAspect, RuleLevel, UpdateRule } from './schemas/rules-api.ts';

type RuleTarget = Pick<
  UpdateRule,
  'scope' | 'tag' | 'site_name' | 'item_type' | 'slug' | 'item_name'
>;
type DescribedRule = RuleTarget & {
  aspect: RuleAspect;
  level: RuleLevel | null;
  version: string | null;
  days: number | null;
  hours?: number | null;
  enabled: boolean | null;
};

const ITEMS_OF_TYPE = { plugin: 'all plugins', theme: 'all themes', core: 'WordPress core' };

/** The items and sites of a rule, such as "all plugins on sites with the tag shop". */
export function describeRuleTarget(rule: RuleTarget): string {
  return `${describeRuleItems(rule)} on ${describeRuleSites(rule)}`;
}

export function describeRuleSites({ scope, tag, site_name }: RuleTarget): string {
  if (scope === 'fleet') return 'all sites';
  return scope === 'tag' ? `sites with the tag ${tag ?? ''}` : (site_name ?? 'one site');
}

export function describeRuleItems({ item_type, slug, item_name }: RuleTarget): string {
  if (item_type === null) return 'all plugins, themes and WordPress core';
  if (item_type === 'core' || slug === null) return ITEMS_OF_TYPE[item_type];
  return `the ${item_type} ${item_name ?? slug}`;
}

/** For a sentence with "never": "never update all plugins" could mean that some may be updated. */
function describeAnyItem(rule: RuleTarget): string {
  if (rule.item_type === null) return 'a plugin, a theme or WordPress core';
  if (rule.item_type === 'core' || rule.slug !== null) return describeRuleItems(rule);
  return `a ${rule.item_type}`;
}

function describeAnySite(rule: RuleTarget): string {
  if (rule.scope === 'fleet') return 'any site';
  return rule.scope === 'tag' ? `any site with the tag ${rule.tag ?? ''}` : describeRuleSites(rule);
}

/** What a rule does, as one sentence. */
export function describeRule(rule: DescribedRule): string {
  const [items, sites] = [describeRuleItems(rule), describeRuleSites(rule)];
  if (rule.aspect === 'ignore') {
    return `Never install version ${rule.version ?? ''} of ${items} on ${describeAnySite(rule)}.`;
  }
  if (rule.aspect === 'wait') {
    return rule.days
      ? `Hold new versions of ${items} on ${sites} for ${countDays(rule.days)} after they first appeared in the fleet.`
      : `Update ${items} on ${sites} without waiting.`;
  }
  if (rule.aspect === 'backup') {
    return rule.hours
      ? `Hold updates of ${items} on ${sites} unless the site has a backup from the last ${countHours(rule.hours)}.`
      : `Need no recent backup for updates of ${items} on ${sites}.`;
  }
  if (rule.aspect === 'restore') {
    // Sites save no versions of core.
    const saved = rule.item_type === null ? 'all plugins and themes' : items;
    return rule.enabled
      ? `Restore the saved version of ${saved} on ${sites} if an update causes trouble. The database stays as it is.`
      : `If an update causes trouble, do not restore the saved version of ${saved} on ${sites}.`;
  }
  if (rule.level === 'never') {
    // Core cannot be installed or restored.
    const verbs = rule.item_type === 'core' ? 'update' : 'update, install or restore';
    return `Never ${verbs} ${describeAnyItem(rule)} on ${describeAnySite(rule)}.`;
  }
  if (rule.level === 'pin') {
    return `Keep ${items} on ${sites} at version ${rule.version ?? ''} or older.`;
  }
  const steps = { patch: 'only patch versions', minor: 'only patch and minor versions' };
  const allowed = rule.level === 'patch' || rule.level === 'minor' ? steps[rule.level] : null;
  return allowed
    ? `Allow ${allowed} of ${items} on ${sites}.`
    : `Allow all updates of ${items} on ${sites}.`;
}

/** Why an item is held, such as "Held: waits 7 days, until 12 June 2026. Rule: all plugins on all sites." */
export function explainHold(
  hold: Hold,
  { rule, quarantineReason }: { rule?: DescribedRule | undefined; quarantineReason?: string },
  formatDay = formatUtcDay,
): string {
  const ruleText = rule ? ` Rule: ${describeRuleTarget(rule)}.` : '';
  switch (hold.reason) {
    case 'quarantined':
      return `Held: this version is quarantined.${quarantineReason ? ` Reason: ${quarantineReason}` : ''}`;
    case 'never':
      return `Held: Steward never updates, installs or restores this item.${ruleText}`;
    case 'pinned':
      return `Held: kept at ${rule?.version ? `${rule.version} or older` : 'an older version'}.${ruleText}`;
    case 'level':
      return `Held: only ${rule?.level === 'patch' ? 'patch' : 'patch and minor'} versions are allowed.${ruleText}`;
    case 'ignored':
      return `Held: this version is ignored.${ruleText}`;
    case 'waiting':
      return `Held: waits ${countDays(rule?.days ?? 0)}, until ${formatDay(hold.until ?? '')}.${ruleText}`;
    case 'no_backup':
      return `Held: no backup of the site from the last ${countHours(rule?.hours ?? 0)} is known. Back up the site, then sync it.${ruleText}`;
  }
}

const countHours = (hours: number) => (hours === 1 ? 'hour' : `${hours} hours`);

const countDays = (days: number) => (days === 1 ? '1 day' : `${days} days`);

// Created once: a run explains thousands of holds, and a format is slow to create.
const dayFormat = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
} as const);

function formatUtcDay(time: string): string {
  return dayFormat.format(new Date(time));
}
