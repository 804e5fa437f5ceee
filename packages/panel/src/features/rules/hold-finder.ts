import {
  type DecidingRule,
  describeRuleTarget,
  type ExplainedHold,
  explainHold,
  findDecidingRule,
  findHold,
  type HeldItem,
  type Hold,
  isRuleFor,
  isSameSlug,
  isSameVersion,
  type SoftwareType,
} from '@steward/contract';
import type { Database } from '../../platform/database/tables.ts';
import {
  hasRulesOrQuarantine,
  type InstalledGroup,
  type ItemVersion,
  readFirstSeen,
  readInstalledGroups,
  readSiteTags,
} from './hold-finder.repository.ts';
import { type QuarantineRow, readOpenQuarantine } from './quarantine.repository.ts';
import { type RuleInWords, readRules } from './rules.repository.ts';

type Item = { type: SoftwareType; slug: string };

/** An installed item with a pending update, by the last report of its site. `version`: the offered version. */
export type PendingItem = Item & {
  name: string;
  oldVersion: string;
  version: string;
  hold: Hold | null;
};

export type InstalledItem = Item & { name: string; version: string; newVersion: string | null };

export type HoldFinder = {
  /**
   * Whether a rule or a quarantine concerns an item of the site, with or without a pending update. The items of a site
   * that never reported are unknown, so each rule that applies to the site and each quarantine counts.
   */
  concernsReportedItem(siteId: number): boolean;
  isItemConcerned(siteId: number, item: Item): boolean;
  /** Whether a version can be held on the site, also of an item that its last report does not contain. */
  concernsAnyItem(siteId: number): boolean;
  /** Why a site that cannot update single items gets no update: it could install a held version. */
  explainOutdatedSite(siteId: number): string;
  /** Finds the hold of a version. `oldVersion` is null if the item is not installed yet. */
  find(siteId: number, item: Item & { version: string; oldVersion: string | null }): Hold | null;
  findInstalled(siteId: number, item: Item): InstalledItem | undefined;
  listPending(siteId: number): PendingItem[];
  /** The hold of the offered version of an item. Sites with the same rules and versions share one object. */
  findPendingHold(siteId: number, item: Item): Hold | null;
  listHeld(siteId: number): HeldItem[];
  /** Adds the sentence that names the rule or the quarantine. */
  explain(hold: Hold): ExplainedHold;
};

type Options = {
  now: Date;
  /** Ignores the rules: a task without a window keeps the rules of the time when its run was created. */
  onlyQuarantine?: boolean;
  /** Reads only items with a pending update. `concernsReportedItem` and `findInstalled` then know only these. */
  onlyPending?: boolean;
  /** The versions that a user requested. The sites may offer other versions. */
  requested?: { type: string; slug: string; version?: string | undefined }[];
};

/**
 * Reads the rules, the quarantine and the items of these sites, with a few queries for all sites together. Returns
 * null, after one cheap query, if no version can be held.
 */
export async function createHoldFinder(
  db: Database,
  siteIds: number[],
  { now, onlyQuarantine = false, onlyPending = false, requested = [] }: Options,
): Promise<HoldFinder | null> {
  if (siteIds.length === 0) return null;
  if (!onlyQuarantine && !(await hasRulesOrQuarantine(db))) return null;
  const quarantined = await readOpenQuarantine(db);
  const rules = onlyQuarantine ? [] : await readRules(db);
  if (quarantined.length === 0 && rules.length === 0) return null;
  const tagIds = [...new Set(rules.flatMap(({ tag_id }) => tag_id ?? []))];
  const profileOf = createRuleSelector(rules, await readSiteTags(db, siteIds, tagIds));
  const groups = await readInstalledGroups(db, [...new Set(siteIds)], { onlyPending });
  const firstSeen = await readFirstSeen(db, requested.filter(hasVersion));
  const installed = groupBySite(groups);
  const pendingCache = createCache<PendingItem | null>();
  const concernCache = createCache<boolean>();
  const explained = new Map<Hold, ExplainedHold>();

  const findQuarantine = ({ type, slug, version }: ItemVersion) =>
    quarantined.find((row) => isQuarantined(row, { type, slug, version }))?.id ?? null;

  /** Computed once for all sites with the same rules and the same group. */
  const toPending = (group: NumberedGroup, profile: RuleProfile): PendingItem | null =>
    pendingCache(profile, group, () => {
      const { type, slug, name, version: oldVersion, new_version: version } = group;
      if (version === null) return null;
      const hold = findHold({
        ...{ item: { type, slug }, oldVersion, newVersion: version, rules: profile.rules, now },
        quarantineId: findQuarantine({ type, slug, version }),
        firstSeenAt: group.first_seen_at,
      });
      return { type, slug, name, oldVersion, version, hold };
    });

  const concerns = (profile: RuleProfile, item: Item): boolean =>
    quarantined.some((row) => row.item_type === item.type && isSameSlug(row.slug, item.slug)) ||
    restrictsItem(profile.rules, item);

  const isGroupConcerned = (group: NumberedGroup, profile: RuleProfile) =>
    concernCache(profile, group, () => concerns(profile, group));

  const finder: HoldFinder = {
    concernsReportedItem(siteId) {
      const profile = profileOf(siteId);
      const groupsOfSite = installed.get(siteId);
      if (!groupsOfSite) return quarantined.length > 0 || profile.rules.length > 0;
      return groupsOfSite.some((group) => isGroupConcerned(group, profile));
    },

    isItemConcerned: (siteId, item) => concerns(profileOf(siteId), item),

    concernsAnyItem: (siteId) =>
      quarantined.length > 0 || profileOf(siteId).rules.some(canRuleHold),

    explainOutdatedSite(siteId) {
      const profile = profileOf(siteId);
      const group = installed.get(siteId)?.find((each) => isGroupConcerned(each, profile));
      const isOfGroup = ({ item_type, slug }: QuarantineRow) =>
        item_type === group?.type && isSameSlug(slug, group.slug);
      const row = quarantined.find(isOfGroup);
      if (row) return `${OUTDATED_SITE} Version ${row.version} of ${row.name} is quarantined.`;
      const rule = profile.rules.find(
        (each) => group && isRuleFor(each, group) && canRuleHold(each),
      );
      return rule ? `${OUTDATED_SITE} Rule: ${describeRuleTarget(rule)}.` : OUTDATED_SITE;
    },

    find(siteId, { type, slug, version, oldVersion }) {
      const offered = installed
        .get(siteId)
        ?.find(
          (group) =>
            isGroupOf(group, { type, slug }) && isSameVersion(group.new_version ?? '', version),
        );
      const seen = firstSeen.find(
        (row) => row.type === type && row.slug === slug && isSameVersion(row.version, version),
      );
      return findHold({
        ...{ item: { type, slug }, oldVersion, newVersion: version, now },
        rules: profileOf(siteId).rules,
        quarantineId: findQuarantine({ type, slug, version }),
        firstSeenAt: offered?.first_seen_at ?? seen?.first_seen_at ?? null,
      });
    },

    findInstalled(siteId, item) {
      const group = installed.get(siteId)?.find((candidate) => isGroupOf(candidate, item));
      if (!group) return undefined;
      const { type, slug, name, version, new_version: newVersion } = group;
      return { type, slug, name, version, newVersion };
    },

    listPending(siteId) {
      const profile = profileOf(siteId);
      const pending: PendingItem[] = [];
      for (const group of installed.get(siteId) ?? []) {
        const item = toPending(group, profile);
        if (item === null) break;
        pending.push(item);
      }
      return pending;
    },

    findPendingHold(siteId, item) {
      const group = installed.get(siteId)?.find((candidate) => isGroupOf(candidate, item));
      return (group && toPending(group, profileOf(siteId))?.hold) ?? null;
    },

    listHeld: (siteId) =>
      finder
        .listPending(siteId)
        .flatMap(({ hold, type, slug, name, version }) =>
          hold ? [{ type, slug, name, version, hold: finder.explain(hold) }] : [],
        ),

    explain(hold) {
      const known = explained.get(hold);
      if (known) return known;
      const rule = rules.find(({ id }) => id === hold.rule_id);
      const quarantine = quarantined.find(({ id }) => id === hold.quarantine_id);
      const explanation = toExplainedHold(hold, rule, quarantine);
      explained.set(hold, explanation);
      return explanation;
    },
  };
  return finder;
}

const OUTDATED_SITE =
  'The Steward plugin on this site is too old to update only selected items, so it could install a held version. Update the Steward plugin first.';

/** The level `all` and a wait of 0 days hold no version. */
const canRuleHold = ({ aspect, level, days }: DecidingRule) =>
  aspect === 'ignore' || (level !== null && level !== 'all') || (days ?? 0) > 0;

type RuleProfile = { rules: RuleInWords[] };

/** Sites with the same rules share one profile, so that each decision is made once and not for each site. */
function createRuleSelector(rules: RuleInWords[], tags: { site_id: number; tag_id: number }[]) {
  const tagsOf = Map.groupBy(tags, ({ site_id }) => site_id);
  const sitesWithRules = new Set(rules.flatMap(({ site_id }) => site_id ?? []));
  const profiles = new Map<string, RuleProfile>();
  const profilesBySite = new Map<number, RuleProfile>();
  return (siteId: number): RuleProfile => {
    const known = profilesBySite.get(siteId);
    if (known) return known;
    const tagIds = (tagsOf.get(siteId) ?? []).map(({ tag_id }) => tag_id).sort((a, b) => a - b);
    const key = `${tagIds} ${sitesWithRules.has(siteId) ? siteId : ''}`;
    const found = profiles.get(key);
    if (found) {
      profilesBySite.set(siteId, found);
      return found;
    }
    const profile = {
      rules: rules.filter(
        (rule) =>
          rule.scope === 'fleet' ||
          rule.site_id === siteId ||
          (rule.tag_id !== null && tagIds.includes(rule.tag_id)),
      ),
    };
    profiles.set(key, profile);
    profilesBySite.set(siteId, profile);
    return profile;
  };
}

/** Whether the rules can hold a version of the item. The level `all` and a wait of 0 days hold none. */
function restrictsItem(rules: DecidingRule[], item: Item): boolean {
  const rulesOfItem = rules.filter((rule) => isRuleFor(rule, item));
  const level = findDecidingRule(rulesOfItem, 'level')?.level ?? 'all';
  const days = findDecidingRule(rulesOfItem, 'wait')?.days ?? 0;
  return level !== 'all' || days > 0 || rulesOfItem.some(({ aspect }) => aspect === 'ignore');
}

export function isQuarantined(
  row: Pick<QuarantineRow, 'item_type' | 'slug' | 'version'>,
  { type, slug, version }: { type: string; slug: string; version: string },
): boolean {
  return (
    row.item_type === type && isSameSlug(row.slug, slug) && isSameVersion(row.version, version)
  );
}

const isGroupOf = (group: InstalledGroup, { type, slug }: Item) =>
  group.type === type && group.slug === slug;

const hasVersion = (item: { type: string; version?: string | undefined }): item is ItemVersion =>
  item.version !== undefined && item.type !== 'translation';

type NumberedGroup = InstalledGroup & { index: number };

/** Pending updates come first in the list of each site, so that a search for them ends early. */
function groupBySite(groups: InstalledGroup[]): Map<number, NumberedGroup[]> {
  const bySite = new Map<number, NumberedGroup[]>();
  const isPending = ({ new_version }: InstalledGroup) => new_version !== null;
  const sorted = [...groups.filter(isPending), ...groups.filter((group) => !isPending(group))];
  for (const [index, { site_ids, ...group }] of sorted.entries()) {
    const numbered = { ...group, site_ids: [], index };
    for (const siteId of site_ids) {
      const ofSite = bySite.get(siteId);
      if (ofSite) ofSite.push(numbered);
      else bySite.set(siteId, [numbered]);
    }
  }
  return bySite;
}

function createCache<Value>() {
  const cache = new Map<RuleProfile, Value[]>();
  return (profile: RuleProfile, group: NumberedGroup, compute: () => Value): Value => {
    let ofProfile = cache.get(profile);
    if (!ofProfile) {
      ofProfile = [];
      cache.set(profile, ofProfile);
    }
    const found = ofProfile[group.index];
    if (found !== undefined) return found;
    const value = compute();
    ofProfile[group.index] = value;
    return value;
  };
}

export function toExplainedHold(
  hold: Hold,
  rule: RuleInWords | undefined,
  quarantine: Pick<QuarantineRow, 'reason'> | undefined,
): ExplainedHold {
  const reason = quarantine ? { quarantineReason: quarantine.reason } : {};
  return {
    ...hold,
    ...(rule && { rule: describeRuleTarget(rule) }),
    explanation: explainHold(hold, { rule, ...reason }),
  };
}
