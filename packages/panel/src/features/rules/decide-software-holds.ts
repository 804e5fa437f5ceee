import { type Hold, SOFTWARE_HOLDS_MAX, type SoftwareHold } from '@steward/contract';
import { toExplainedHold } from './explain-hold.ts';
import { findHoldOf, isQuarantined, isQuarantineFor, type Restrictions } from './hold-rule.ts';
import type { RuleInWords } from './rules.repository.ts';
import type { Offer } from './software-holds.repository.ts';

type HeldVersion = { version: string; hold: Hold };

/**
 * Decides which versions of software are held on some sites, without reading these sites: the sentence of a hold names the
 * sites of its rule. Lists each version once, with its first hold.
 */
export function decideSoftwareHolds(
  offers: Offer[],
  restrictions: Omit<Restrictions<RuleInWords>, 'hasBackup'>,
  now: Date,
): Map<number, SoftwareHold[]> {
  const { rules, quarantined } = restrictions;
  const ruleSets = listRuleSets(rules);
  const holds = new Map<number, SoftwareHold[]>();
  for (const offer of offers) {
    const known = holds.get(offer.software_id) ?? [];
    for (const { version, hold } of listHeldVersions(offer, { ruleSets, ...restrictions }, now)) {
      if (known.length >= SOFTWARE_HOLDS_MAX) break;
      if (known.some((each) => each.version === version)) continue;
      const rule = rules.find(({ id }) => id === hold.rule_id);
      const quarantine = quarantined.find(({ id }) => id === hold.quarantine_id);
      known.push({ version, hold: toExplainedHold(hold, rule, quarantine) });
    }
    if (known.length > 0) holds.set(offer.software_id, known);
  }
  return holds;
}

/** Lists the quarantined versions of the software, then the offered version for each set of rules that holds it. */
function listHeldVersions(
  { type, slug, version: oldVersion, new_version: version, first_seen_at: firstSeenAt }: Offer,
  { ruleSets, quarantined }: Pick<Restrictions, 'quarantined'> & { ruleSets: RuleInWords[][] },
  now: Date,
): HeldVersion[] {
  const inQuarantine = quarantined
    .filter((row) => isQuarantineFor(row, { type, slug }))
    .map((row): HeldVersion => {
      return { version: row.version, hold: { reason: 'quarantined', quarantine_id: row.id } };
    });
  if (version === null) return inQuarantine;
  if (quarantined.some((row) => isQuarantined(row, { type, slug, version }))) return inQuarantine;
  const item = { type, slug, oldVersion, version, firstSeenAt };
  const byRules = ruleSets.flatMap((rules): HeldVersion[] => {
    // Whether a backup is missing depends on the site, so the lists of sites and the plan of an update say it.
    const restrictions = { rules, quarantined: [], hasBackup: () => true };
    const hold = findHoldOf(item, restrictions, now);
    return hold ? [{ version, hold }] : [];
  });
  return [...inQuarantine, ...byRules];
}

/** Lists the rules for all sites as one set, and for each tag and site with rules one more set that adds them. */
function listRuleSets(rules: RuleInWords[]): RuleInWords[][] {
  const ofFleet = rules.filter(({ scope }) => scope === 'fleet');
  const others = rules.filter(({ scope }) => scope !== 'fleet');
  const narrow = Map.groupBy(others, ({ tag_id, site_id }) => `${tag_id} ${site_id}`);
  return [ofFleet, ...[...narrow.values()].map((own) => [...ofFleet, ...own])];
}
