import {
  compareVersions,
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
  type SoftwareType,
} from '@steward/contract';
import type { Database } from '../../platform/database/tables.ts';
import {
  hasRulesOrQuarantine,
  type InstalledGroup,
  readFirstSeen,
  readInstalledGroups,
  readSiteTags,
  type SeenVersion,
} from './hold-finder.repository.ts';
import { type QuarantineRow, readOpenQuarantine } from './quarantine.repository.ts';
import { type RuleInWords, readRules } from './rules.repository.ts';

type Item = { type: SoftwareType; slug: string };

/** An installed item with a pending update, according to the last report of its site. */
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
   * that never reported are unknown, so any rule of the site and any quarantine count.
   */
  isConcerned(siteId: number): boolean;
  isItemConcerned(siteId: number, item: Item): boolean;
  /** Finds the hold of a version. `oldVersion` is null if the item is not installed yet. */
  find(siteId: number, item: Item & { version: string; oldVersion: string | null }): Hold | null;
  findInstalled(siteId: number, item: Item): InstalledItem | undefined;
  listPending(siteId: number): PendingItem[];
  listHeld(siteId: number): HeldItem[];
  /** Adds the sentence that names the rule or the quarantine. */
  explain(hold: Hold): ExplainedHold;
};

type Options = {
  now: Date;
  /** Ignores the rules: a task without a window keeps the rules of the time when its run was created. */
  onlyQuarantine?: boolean;
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
  { now, onlyQuarantine = false, requested = [] }: Options,
): Promise<HoldFinder | null> {
  if (siteIds.length === 0) return null;
  if (!onlyQuarantine && !(await hasRulesOrQuarantine(db))) return null;
  const quarantined = await readOpenQuarantine(db);
  const rules = onlyQuarantine ? [] : await readRules(db);
  if (quarantined.length === 0 && rules.length === 0) return null;
  const tagIds = [...new Set(rules.flatMap(({ tag_id }) => tag_id ?? []))];
  const profileOf = createRuleSelector(rules, await readSiteTags(db, siteIds, tagIds));
  const groups = await readInstalledGroups(db, siteIds);
  const firstSeen = await readFirstSeen(db, requested.filter(hasVersion));
  const installed = groupBySite(groups);
  const pendingCache = createCache<PendingItem | null>();
  const concernCache = createCache<boolean>();

  const findQuarantine = ({ type, slug, version }: SeenVersion) =>
    quarantined.find((row) => isQuarantined(row, { type, slug, version }))?.id ?? null;

  /** Computed once for all sites with the same rules and the same group. */
  const toPending = (group: InstalledGroup, profile: RuleProfile): PendingItem | null =>
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

  const isGroupConcerned = (group: InstalledGroup, profile: RuleProfile) =>
    concernCache(profile, group, () => concerns(profile, group));

  const finder: HoldFinder = {
    isConcerned(siteId) {
      const profile = profileOf(siteId);
      const groupsOfSite = installed.get(siteId);
      if (!groupsOfSite) return quarantined.length > 0 || profile.rules.length > 0;
      return groupsOfSite.some((group) => isGroupConcerned(group, profile));
    },

    isItemConcerned: (siteId, item) => concerns(profileOf(siteId), item),

    find(siteId, { type, slug, version, oldVersion }) {
      const offered = installed
        .get(siteId)
        ?.find((group) => isGroupOf(group, { type, slug }) && group.new_version === version);
      const seen = firstSeen.find(
        (row) => row.type === type && row.slug === slug && row.version === version,
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
      const groupsOfSite = installed.get(siteId) ?? [];
      return groupsOfSite.flatMap((group) => toPending(group, profile) ?? []);
    },

    listHeld: (siteId) =>
      finder
        .listPending(siteId)
        .flatMap(({ hold, type, slug, name, version }) =>
          hold ? [{ type, slug, name, version, hold: finder.explain(hold) }] : [],
        ),

    explain(hold) {
      const rule = rules.find(({ id }) => id === hold.rule_id);
      const quarantine = quarantined.find(({ id }) => id === hold.quarantine_id);
      return toExplainedHold(hold, rule, quarantine);
    },
  };
  return finder;
}

type RuleProfile = { rules: RuleInWords[] };

/** Sites with the same rules share one profile, so that each decision is made once and not for each site. */
function createRuleSelector(rules: RuleInWords[], tags: { site_id: number; tag_id: number }[]) {
  const tagsOf = Map.groupBy(tags, ({ site_id }) => site_id);
  const sitesWithRules = new Set(rules.flatMap(({ site_id }) => site_id ?? []));
  const profiles = new Map<string, RuleProfile>();
  return (siteId: number): RuleProfile => {
    const tagIds = (tagsOf.get(siteId) ?? []).map(({ tag_id }) => tag_id).sort((a, b) => a - b);
    const key = `${tagIds} ${sitesWithRules.has(siteId) ? siteId : ''}`;
    const found = profiles.get(key);
    if (found) return found;
    const profile = {
      rules: rules.filter(
        (rule) =>
          rule.scope === 'fleet' ||
          rule.site_id === siteId ||
          (rule.tag_id !== null && tagIds.includes(rule.tag_id)),
      ),
    };
    profiles.set(key, profile);
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
    row.item_type === type &&
    isSameSlug(row.slug, slug) &&
    compareVersions(row.version, version) === 0
  );
}

const isGroupOf = (group: InstalledGroup, { type, slug }: Item) =>
  group.type === type && group.slug === slug;

const hasVersion = (item: { type: string; version?: string | undefined }): item is SeenVersion =>
  item.version !== undefined && item.type !== 'translation';

function groupBySite(groups: InstalledGroup[]): Map<number, InstalledGroup[]> {
  const bySite = new Map<number, InstalledGroup[]>();
  for (const group of groups) {
    for (const siteId of group.site_ids) {
      const ofSite = bySite.get(siteId);
      if (ofSite) ofSite.push(group);
      else bySite.set(siteId, [group]);
    }
    // Saves memory: `bySite` has the ids now.
    group.site_ids = [];
  }
  return bySite;
}

function createCache<Value>() {
  const cache = new Map<RuleProfile, Map<InstalledGroup, Value>>();
  return (profile: RuleProfile, group: InstalledGroup, compute: () => Value): Value => {
    const ofProfile = cache.get(profile) ?? new Map<InstalledGroup, Value>();
    cache.set(profile, ofProfile);
    const found = ofProfile.get(group);
    if (found !== undefined) return found;
    const value = compute();
    ofProfile.set(group, value);
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
