import type { SoftwareHold } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { decideSoftwareHolds } from './decide-software-holds.ts';
import { hasRulesOrQuarantine } from './hold-finder.repository.ts';
import { readOpenQuarantine } from './quarantine.repository.ts';
import { readRules } from './rules.repository.ts';
import { readOffers } from './software-holds.repository.ts';

type Options = {
  /** The sites whose offers count; see `scopeOf`. */
  scope: number;
  /** Only owners see rules for a tag or a site: such a rule could reveal sites that another user may not see. */
  isOwner: boolean;
  now: Date;
};

/**
 * Finds which versions of the software a rule or a quarantine holds back, for the lists of software. Without rules and
 * quarantine, this is one cheap query.
 */
export async function findSoftwareHolds(
  db: Database,
  softwareIds: number[],
  { scope, isOwner, now }: Options,
): Promise<Map<number, SoftwareHold[]>> {
  if (softwareIds.length === 0 || !(await hasRulesOrQuarantine(db))) return new Map();
  const quarantined = await readOpenQuarantine(db);
  const rules = (await readRules(db)).filter((rule) => isOwner || rule.scope === 'fleet');
  const offers = await readOffers(db, scope, softwareIds);
  return decideSoftwareHolds(offers, { rules, quarantined }, now);
}
