import type { InstalledGroup } from './hold-finder.repository.ts';
import { isRuleOfSite, type Quarantine, type Restrictions } from './hold-rule.ts';
import type { RuleInWords } from './rules.repository.ts';

/** The rules and the quarantine of a site. */
export type RuleProfile = Restrictions<RuleInWords>;

/** Sites with the same rules and backups of the same ages share one profile, so that each decision is made once and not for each site. */
export function createRuleSelector(
  rules: RuleInWords[],
  quarantined: Quarantine[],
  tags: { site_id: number; tag_id: number }[],
  hasBackup: (siteId: number, hours: number) => boolean,
) {
  const tagsOf = Map.groupBy(tags, ({ site_id }) => site_id);
  const backupHours = [...new Set(rules.flatMap(({ hours }) => hours || []))];
  const sitesWithRules = new Set(rules.flatMap(({ site_id }) => site_id ?? []));
  const profiles = new Map<string, RuleProfile>();
  const profilesBySite = new Map<number, RuleProfile>();
  return (siteId: number): RuleProfile => {
    const known = profilesBySite.get(siteId);
    if (known) return known;
    const tagIds = (tagsOf.get(siteId) ?? []).map(({ tag_id }) => tag_id).sort((a, b) => a - b);
    const knownHours = backupHours.filter((hours) => hasBackup(siteId, hours));
    const key = `${tagIds} ${sitesWithRules.has(siteId) ? siteId : ''} ${knownHours}`;
    const profile = profiles.get(key) ?? {
      quarantined,
      rules: rules.filter((rule) => isRuleOfSite(rule, { siteId, tagIds })),
      hasBackup: (hours) => knownHours.includes(hours),
    };
    profiles.set(key, profile);
    profilesBySite.set(siteId, profile);
    return profile;
  };
}

export type NumberedGroup = InstalledGroup & { index: number };

/** Pending updates come first in the list of each site, so that a search for them ends early. */
export function groupBySite(groups: InstalledGroup[]): Map<number, NumberedGroup[]> {
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

/** Computes a value once for all sites with the same rules and the same group. */
export function createCache<Value>() {
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
