import Type from 'typebox';
import { SITE_STATUSES, type SiteStatus } from '../site-status.ts';
import { nullable, stringEnum, timestamp, trueOnly } from './common.ts';
import { PendingCounts } from './panel-sites-api.ts';

const SEVERITIES = ['alarm', 'notice'] as const;

const auditWarning = Type.Unsafe<AuditWarning | null>({
  ...Type.Object({
    severity: stringEnum(SEVERITIES),
    record_id: nullable.integer(),
    message: Type.String({ description: 'A sentence for users.' }),
  }),
  type: ['object', 'null'],
  description: 'A problem with the audit log. Null: no problem, or the user may not read the log.',
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
    description: 'Null: the user may not see licenses.',
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
/** A problem with the audit log. `alarm`: records are missing or were altered. */
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
