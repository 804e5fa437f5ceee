import { siteOf } from './audit-sentence-parts.ts';
import type { DescribedRecord, Names } from './audit-sentence-types.ts';

const ruleOf = ({ context }: DescribedRecord) => String(context.rule ?? '');
const versionOf = ({ context }: DescribedRecord) =>
  `${context.name ?? context.slug ?? 'a plugin'} ${context.version ?? ''}`.trim();

/** The sentences about rules and quarantined versions. */
export const auditRuleSentences = {
  'update_rule.create': (record: DescribedRecord) => `created a rule: ${ruleOf(record)}`,
  'update_rule.change': (record: DescribedRecord) =>
    `changed a rule: ${ruleOf(record)} Before: ${record.context.before ?? ''}`.trim(),
  'update_rule.delete': (record: DescribedRecord) => `deleted a rule: ${ruleOf(record)}`,
  'update_rule.restore_by_rule': (record: DescribedRecord, names: Names) => {
    const { name, slug, old_version, new_version, error, place } = record.context;
    return `started to restore ${name ?? slug ?? 'an item'} ${new_version ?? ''} on ${siteOf(record, names)} because ${old_version ?? 'the new version'} fails on real requests: ${error ?? ''} in ${place ?? ''}. Rule: ${ruleOf(record)}`;
  },
  'quarantined_version.quarantine': (record: DescribedRecord) =>
    `quarantined ${versionOf(record)}. Reason: ${record.context.reason ?? ''}`,
  'quarantined_version.lift': (record: DescribedRecord) =>
    `lifted the quarantine of ${versionOf(record)}. Reason: ${record.context.reason ?? ''}`,
};
