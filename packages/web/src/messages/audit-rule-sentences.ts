import type { DescribedRecord } from './audit-sentence-types.ts';

const ruleOf = ({ context }: DescribedRecord) => String(context.rule ?? '');
const versionOf = ({ context }: DescribedRecord) =>
  `${context.name ?? context.slug ?? 'a plugin'} ${context.version ?? ''}`.trim();

/** The sentences about rules and quarantined versions. */
export const auditRuleSentences = {
  'update_rule.create': (record: DescribedRecord) => `created a rule: ${ruleOf(record)}`,
  'update_rule.change': (record: DescribedRecord) =>
    `changed a rule: ${ruleOf(record)} Before: ${record.context.before ?? ''}`.trim(),
  'update_rule.delete': (record: DescribedRecord) => `deleted a rule: ${ruleOf(record)}`,
  'quarantined_version.quarantine': (record: DescribedRecord) =>
    `quarantined ${versionOf(record)}. Reason: ${record.context.reason ?? ''}`,
  'quarantined_version.lift': (record: DescribedRecord) =>
    `lifted the quarantine of ${versionOf(record)}. Reason: ${record.context.reason ?? ''}`,
};
