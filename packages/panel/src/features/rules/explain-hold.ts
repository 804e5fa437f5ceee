import { describeRuleTarget, type ExplainedHold, explainHold, type Hold } from '@steward/contract';
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

/** Why a site that cannot update single items gets no update: it could install a held version. */
export function explainOutdatedSite({
  rule,
  quarantine,
}: {
  rule?: RuleInWords | undefined;
  quarantine?: Pick<Quarantine, 'name' | 'version'> | undefined;
}): string {
  if (quarantine) {
    return `${OUTDATED_SITE} Version ${quarantine.version} of ${quarantine.name} is quarantined.`;
  }
  return rule ? `${OUTDATED_SITE} Rule: ${describeRuleTarget(rule)}.` : OUTDATED_SITE;
}
