import { findHold, isSameSlug, SOFTWARE_HOLDS_MAX, type SoftwareHold } from '@steward/contract';
import type { Database } from '../../platform/database/tables.ts';
import { hasRulesOrQuarantine } from './hold-finder.repository.ts';
import { isQuarantined, toExplainedHold } from './hold-finder.ts';
import { readOpenQuarantine } from './quarantine.repository.ts';
import { type RuleInWords, readRules } from './rules.repository.ts';
import { readOffers } from './software-holds.repository.ts';

type Options = {
  /** The sites whose offers count; see `scopeOf`. */
  scope: number;
  /** Only owners see rules for a tag or a site: such a rule could reveal sites that another user may not see. */
  isOwner: boolean;
  now: Date;
};

/**
 * Finds which versions of the software a rule or a quarantine holds back, for the lists of software. It reads no sites:
 * the sentence of a hold names the sites of its rule. Without rules and quarantine, this is one cheap query.
 */
export async function findSoftwareHolds(
  db: Database,
  softwareIds: number[],
  { scope, isOwner, now }: Options,
): Promise<Map<number, SoftwareHold[]>> {
  const holds = new Map<number, SoftwareHold[]>();
  if (softwareIds.length === 0 || !(await hasRulesOrQuarantine(db))) return holds;
  const quarantined = await readOpenQuarantine(db);
  const rules = (await readRules(db)).filter((rule) => isOwner || rule.scope === 'fleet');
  for (const offer of await readOffers(db, scope, softwareIds)) {
    const { type, slug, version: oldVersion, new_version: newVersion } = offer;
    const known = holds.get(offer.software_id) ?? [];
    const add = (version: string, hold: NonNullable<ReturnType<typeof findHold>>) => {
      const isKnown = known.some((each) => each.version === version);
      if (isKnown || known.length >= SOFTWARE_HOLDS_MAX) return;
      const rule = rules.find(({ id }) => id === hold.rule_id);
      const quarantine = quarantined.find(({ id }) => id === hold.quarantine_id);
      known.push({ version, hold: toExplainedHold(hold, rule, quarantine) });
      holds.set(offer.software_id, known);
    };
    for (const row of quarantined.filter(
      ({ item_type, slug: other }) => item_type === type && isSameSlug(other, slug),
    )) {
      add(row.version, { reason: 'quarantined', quarantine_id: row.id });
    }
    if (newVersion === null) continue;
    if (quarantined.some((row) => isQuarantined(row, { type, slug, version: newVersion })))
      continue;
    for (const rulesOfSites of listRuleSets(rules)) {
      const hold = findHold({
        ...{ item: { type, slug }, oldVersion, newVersion, rules: rulesOfSites, now },
        quarantineId: null,
        firstSeenAt: offer.first_seen_at,
      });
      if (hold) add(newVersion, hold);
    }
  }
  return holds;
}

/** Lists the rules for all sites as one set, and for each tag and site with rules one more set that adds them. */
function listRuleSets(rules: RuleInWords[]): RuleInWords[][] {
  const ofFleet = rules.filter(({ scope }) => scope === 'fleet');
  const others = rules.filter(({ scope }) => scope !== 'fleet');
  const narrow = Map.groupBy(others, ({ tag_id, site_id }) => `${tag_id} ${site_id}`);
  return [ofFleet, ...[...narrow.values()].map((own) => [...ofFleet, ...own])];
}
