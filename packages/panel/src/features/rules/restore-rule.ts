import { findDecidingRule, isRuleFor } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { readSiteTags } from './hold-finder.repository.ts';
import { type Item, isRuleOfSite } from './hold-rule.ts';
import { type RuleInWords, readRestoreRules } from './rules.repository.ts';

/** Finds the rule because of which Steward restores the saved version of an item after an update with trouble. */
export async function findRestoreRule(
  db: Database,
  siteId: number,
  item: Item,
): Promise<RuleInWords | null> {
  const rules = await readRestoreRules(db);
  if (rules.length === 0) return null;
  const tags = await readSiteTags(
    db,
    [siteId],
    rules.flatMap(({ tag_id }) => tag_id ?? []),
  );
  const tagIds = tags.map(({ tag_id }) => tag_id);
  const ofSite = rules.filter((rule) => isRuleOfSite(rule, { siteId, tagIds }));
  const rule = findDecidingRule(
    ofSite.filter((each) => isRuleFor(each, item)),
    'restore',
  );
  return rule?.enabled ? rule : null;
}
