import {
  describeRuleTarget,
  type ExplainedHold,
  explainHold,
  type Hold,
  type HoldReason,
  type RuleAspect,
} from '@steward/contract';
import type { Quarantine } from './hold-rule.ts';
import type { RuleInWords } from './rules.repository.ts';

/** Adds the sentence that names the rule or the quarantine. */
export function toExplainedHold(
  hold: Hold,
  rule: RuleInWords | undefined,
  quarantine: Pick<Quarantine, 'reason'> | undefined,
): ExplainedHold {
  const reason = quarantine ? { quarantineReason: quarantine.reason } : {};
  return {
    ...hold,
    ...(rule && { rule: describeRuleTarget(rule) }),
    explanation: explainHold(hold, { rule, ...reason }),
  };
}

const OUTDATED_SITE =
  'The Steward plugin on this site is too old to update only selected items, so it could install a held version. Update the Steward plugin first.';

type Restriction = {
  rule?: RuleInWords | undefined;
  quarantine?: Pick<Quarantine, 'id' | 'name' | 'version'> | undefined;
};

/** Why a site that cannot update single items gets no update: it could install a held version. */
export function explainOutdatedSite({ rule, quarantine }: Restriction): string {
  if (quarantine) {
    return `${OUTDATED_SITE} Version ${quarantine.version} of ${quarantine.name} is quarantined.`;
  }
  return rule ? `${OUTDATED_SITE} Rule: ${describeRuleTarget(rule)}.` : OUTDATED_SITE;
}

/** The restriction that refuses a site that cannot update single items, as a hold. Null if none is known. */
export function toOutdatedSiteHold(restriction: Restriction): ExplainedHold | null {
  const { rule, quarantine } = restriction;
  const explanation = explainOutdatedSite(restriction);
  if (quarantine) return { reason: 'quarantined', quarantine_id: quarantine.id, explanation };
  if (!rule) return null;
  const target = { rule_id: rule.id, rule: describeRuleTarget(rule) };
  return { reason: REASON_BY_ASPECT[rule.aspect] ?? levelReason(rule), ...target, explanation };
}

const REASON_BY_ASPECT: Partial<Record<RuleAspect, HoldReason>> = {
  wait: 'waiting',
  ignore: 'ignored',
  backup: 'no_backup',
};

function levelReason({ level }: Pick<RuleInWords, 'level'>): HoldReason {
  if (level === 'never') return 'never';
  return level === 'pin' ? 'pinned' : 'level';
}
