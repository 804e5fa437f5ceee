import {
  type ExplainedHold,
  type HeldItem,
  type Hold,
  isBackupRecent,
  isSameVersion,
} from '@steward/contract';
import { explainOutdatedSite, toExplainedHold, toOutdatedSiteHold } from './explain-hold.ts';
import type { InstalledGroup, ItemVersion } from './hold-finder.repository.ts';
import {
  canHold,
  findHoldOf,
  findRestriction,
  type Item,
  isConcerned,
  type Quarantine,
} from './hold-rule.ts';
import type { RuleInWords } from './rules.repository.ts';
import {
  createCache,
  createRuleSelector,
  groupBySite,
  type NumberedGroup,
  type RuleProfile,
} from './site-groups.ts';

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
  /** The same reason as a hold that names its rule or quarantine; null if the items of the site are not known. */
  findOutdatedSiteHold(siteId: number): ExplainedHold | null;
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

/** What decides about the holds of some sites. */
export type HoldFacts = {
  rules: RuleInWords[];
  quarantined: Quarantine[];
  /** Which tags the sites have. */
  tags: { site_id: number; tag_id: number }[];
  groups: InstalledGroup[];
  /** When versions first appeared that the sites may not offer, the earliest first. */
  firstSeen: (ItemVersion & { first_seen_at: Date })[];
  /** When the known backups of the sites started. Read only if a rule needs it. */
  backups: ReadonlyMap<number, Date>;
  now: Date;
};

/** Applies the rules and the quarantine to sites, without a query. */
export function decideHolds(facts: HoldFacts): HoldFinder {
  const { rules, quarantined, firstSeen, now } = facts;
  const profileOf = createRuleSelector(rules, quarantined, facts.tags, (siteId, hours) =>
    isBackupRecent(facts.backups.get(siteId) ?? null, hours, now),
  );
  const installed = groupBySite(facts.groups);
  const pendingCache = createCache<PendingItem | null>();
  const concernCache = createCache<boolean>();
  const explained = new Map<Hold, ExplainedHold>();

  const groupsOf = (siteId: number) => installed.get(siteId) ?? [];
  const findGroup = (siteId: number, { type, slug }: Item) =>
    groupsOf(siteId).find((group) => group.type === type && group.slug === slug);
  const toPending = (group: NumberedGroup, profile: RuleProfile) =>
    pendingCache(profile, group, () => decidePending(group, profile, now));
  const isGroupConcerned = (group: NumberedGroup, profile: RuleProfile) =>
    concernCache(profile, group, () => isConcerned(group, profile));

  const finder: HoldFinder = {
    concernsReportedItem(siteId) {
      const profile = profileOf(siteId);
      const groups = installed.get(siteId);
      if (!groups) return quarantined.length > 0 || profile.rules.length > 0;
      return groups.some((group) => isGroupConcerned(group, profile));
    },

    isItemConcerned: (siteId, item) => isConcerned(item, profileOf(siteId)),

    concernsAnyItem: (siteId) => canHold(profileOf(siteId)),

    explainOutdatedSite(siteId) {
      const profile = profileOf(siteId);
      const group = groupsOf(siteId).find((each) => isGroupConcerned(each, profile));
      return explainOutdatedSite(group ? findRestriction(group, profile) : {});
    },

    findOutdatedSiteHold(siteId) {
      const profile = profileOf(siteId);
      const group = groupsOf(siteId).find((each) => isGroupConcerned(each, profile));
      return group ? toOutdatedSiteHold(findRestriction(group, profile)) : null;
    },

    find(siteId, item) {
      const offered = groupsOf(siteId).find(
        ({ type, slug, new_version }) =>
          type === item.type &&
          slug === item.slug &&
          isSameVersion(new_version ?? '', item.version),
      );
      const seen = firstSeen.find(
        ({ type, slug, version }) =>
          type === item.type && slug === item.slug && isSameVersion(version, item.version),
      );
      const firstSeenAt = offered?.first_seen_at ?? seen?.first_seen_at ?? null;
      return findHoldOf({ ...item, firstSeenAt }, profileOf(siteId), now);
    },

    findInstalled(siteId, item) {
      const group = findGroup(siteId, item);
      if (!group) return undefined;
      const { type, slug, name, version, new_version: newVersion } = group;
      return { type, slug, name, version, newVersion };
    },

    listPending(siteId) {
      const profile = profileOf(siteId);
      const pending: PendingItem[] = [];
      for (const group of groupsOf(siteId)) {
        const item = toPending(group, profile);
        if (item === null) break;
        pending.push(item);
      }
      return pending;
    },

    findPendingHold(siteId, item) {
      const group = findGroup(siteId, item);
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

function decidePending(group: NumberedGroup, profile: RuleProfile, now: Date): PendingItem | null {
  const { type, slug, name, version: oldVersion, new_version: version } = group;
  if (version === null) return null;
  const item = { type, slug, oldVersion, version, firstSeenAt: group.first_seen_at };
  return { type, slug, name, oldVersion, version, hold: findHoldOf(item, profile, now) };
}
