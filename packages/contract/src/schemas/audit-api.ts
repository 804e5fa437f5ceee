import Type from 'typebox';
import { AUDIT_NAMED_TYPES } from '../audit-events.ts';
import { ID_PATTERN, nullable, stringEnum, timestamp, trueOnly } from './common.ts';

/** Requests of the audit log screen to the panel. */

export const AUDIT_PAGE_SIZE = 50;
export const AUDIT_PAGE_SIZE_MAX = 500;
export const AUDIT_EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type AuditExportFormat = (typeof AUDIT_EXPORT_FORMATS)[number];

/** Text in a query string. PostgreSQL does not accept NUL in a query. */
const textInQuery = () => Type.String({ pattern: '^[^\\u0000]{1,200}$' });
const numberInQuery = () => Type.String({ pattern: ID_PATTERN });

export const AuditFilterQuery = Type.Object({
  actor: Type.Optional(textInQuery()),
  action: Type.Optional(textInQuery()),
  entity_type: Type.Optional(textInQuery()),
  entity_id: Type.Optional(textInQuery()),
  site_id: Type.Optional(numberInQuery()),
  from: Type.Optional(timestamp()),
  to: Type.Optional(timestamp()),
  text: Type.Optional(textInQuery()),
});
export type AuditFilterQuery = Type.Static<typeof AuditFilterQuery>;

export const AuditQuery = Type.Object({
  ...AuditFilterQuery.properties,
  before: Type.Optional(numberInQuery()),
  limit: Type.Optional(numberInQuery()),
});

export const AuditExportQuery = Type.Object({
  ...AuditFilterQuery.properties,
  format: stringEnum(AUDIT_EXPORT_FORMATS),
});

export const AuditRecord = Type.Object({
  id: Type.Integer(),
  at: timestamp(),
  actor: Type.String({ description: 'The id of a user, or system.' }),
  action: Type.String(),
  entity_type: Type.String(),
  entity_id: Type.String(),
  site_id: nullable.integer(),
  context: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ip: nullable.string(),
  request_id: nullable.string(),
});
export type AuditRecord = Type.Static<typeof AuditRecord>;

export const AuditName = Type.Object({
  type: stringEnum(AUDIT_NAMED_TYPES),
  id: Type.Integer(),
  name: nullable.string(),
});
export type AuditName = Type.Static<typeof AuditName>;

export const AuditResponse = Type.Object({
  success: trueOnly(),
  records: Type.Array(AuditRecord),
  names: Type.Array(AuditName, {
    description: 'The entities that the records refer to and that exist, with their current names.',
  }),
  /** The `before` of the next page. Null: this is the last page. */
  next_before: nullable.integer(),
  /** Records from before this time were detached. Null: none were. */
  complete_from: nullable.timestamp(),
});
