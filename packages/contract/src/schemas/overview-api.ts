import Type from 'typebox';
import { SITE_STATUSES, type SiteStatus } from '../site-status.ts';
import { PendingCounts } from './panel-sites-api.ts';
import { nullable, stringEnum, timestamp, trueOnly } from './vocabulary.ts';

const SEVERITIES = ['alarm', 'notice'] as const;

const auditWarning = Type.Unsafe<AuditWarning | null>({
  ...Type.Object({
    severity: stringEnum(SEVERITIES),
    record_id: nullable.integer(),
    message: Type.String({ description: 'A sentence for a person.' }),
  }),
  type: ['object', 'null'],
  description:
    'What is wrong with the audit log. Null when nothing is, and for those who may not read it.',
});

const countsByStatus = Type.Object(
  Object.fromEntries(SITE_STATUSES.map((status) => [status, Type.Integer()])) as Record<
    SiteStatus,
    Type.TInteger
  >,
);

export const Overview = Type.Object({
  sites: Type.Object({
    total: Type.Integer(),
    by_status: countsByStatus,
    with_updates: Type.Integer(),
  }),
  pending: PendingCounts,
  outdated_plugins: Type.Array(
    Type.Object({ plugin: Type.String(), name: Type.String(), sites: Type.Integer() }),
  ),
  expiring_licenses: Type.Unsafe<ExpiringLicense[] | null>({
    type: ['array', 'null'],
    description: 'Null for those who may not see licenses.',
    items: Type.Object({
      id: Type.Integer(),
      key_last_six: Type.String(),
      plan: Type.String(),
      expires_at: timestamp(),
      sites_used: Type.Integer(),
    }),
  }),
  audit_warning: auditWarning,
});
/** What is wrong with the audit log. An alarm: records are missing or were changed. */
export type AuditWarning = {
  severity: (typeof SEVERITIES)[number];
  record_id: number | null;
  message: string;
};
export type ExpiringLicense = {
  id: number;
  key_last_six: string;
  plan: string;
  expires_at: string;
  sites_used: number;
};
export type Overview = Type.Static<typeof Overview>;
export const OverviewResponse = Type.Object({ success: trueOnly(), overview: Overview });
