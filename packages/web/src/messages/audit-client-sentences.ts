import { text } from './audit-sentence-parts.ts';
import type { DescribedRecord, Sentence } from './audit-sentence-types.ts';

const clientOf = ({ entity_id, context }: DescribedRecord): string =>
  `client ${text(context.name) ?? entity_id ?? ''}`.trim();

/** The sentences about clients. */
export const auditClientSentences = {
  'client.create': (record) => `created ${clientOf(record)}`,
  'client.update': (record) => {
    const before = text(record.context.before);
    return before === undefined
      ? `changed the contact or time zone of ${clientOf(record)}`
      : `renamed client ${before} to ${text(record.context.name) ?? 'another name'}`;
  },
  'client.archive': (record) => `archived ${clientOf(record)}`,
  'client.restore': (record) => `restored ${clientOf(record)}`,
  'client.set_logo': (record) => `changed the logo of ${clientOf(record)}`,
  'client.remove_logo': (record) => `removed the logo of ${clientOf(record)}`,
} as const satisfies Record<string, Sentence>;
