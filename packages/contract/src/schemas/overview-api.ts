import Type from 'typebox';
import { CERTIFICATE_NOTICE_DAYS } from '../site-health.ts';
import { SITE_STATUSES, type SiteStatus } from '../site-status.ts';
import { nullable, stringEnum, timestamp, trueOnly } from './common.ts';
import { PendingCounts } from './panel-sites-api.ts';
import { TOP_VERSIONS } from './software-api.ts';

/** The days in the chart of updates, including today. */
export const UPDATE_HISTORY_DAYS = 30;
/** The overview lists only the licenses that expire first. */
export const EXPIRING_LICENSES_MAX = 50;

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

const VersionsInUse = Type.Object({
  sites: Type.Integer(),
  newest_version: Type.String(),
  versions: Type.Array(Type.Object({ version: Type.String(), sites: Type.Integer() }), {
    description: `The ${TOP_VERSIONS} most used versions.`,
  }),
  other_versions: Type.Integer({ description: 'The number of versions not listed.' }),
});
export type VersionsInUse = Type.Static<typeof VersionsInUse>;

const versionsInUse = (description: string) =>
  Type.Unsafe<VersionsInUse | null>({
    ...VersionsInUse,
    type: ['object', 'null'],
    description: `${description} Null: no site has reported one.`,
  });

const UpdatesOfDay = Type.Object({
  day: Type.String({ description: 'A date in UTC.' }),
  succeeded: Type.Integer({ description: 'Plugins, themes and core that were updated.' }),
  failed: Type.Integer(),
});
export type UpdatesOfDay = Type.Static<typeof UpdatesOfDay>;

export const Overview = Type.Object({
  sites: Type.Object({
    total: Type.Integer(),
    by_status: countsByStatus,
    with_updates: Type.Integer(),
  }),
  pending: PendingCounts,
  without_item_updates: Type.Integer({
    description: 'Sites whose Steward plugin is too old to update only selected items.',
  }),
  older_steward_plugin: Type.Object(
    {
      sites: Type.Integer(),
      shipped_version: Type.Unsafe<string | null>({
        ...nullable.string(),
        description: 'The version that this panel ships. Null: none.',
      }),
    },
    { description: 'Sites whose Steward plugin is older than the one of this panel.' },
  ),
  outdated_plugins: Type.Array(
    Type.Object({ plugin: Type.String(), name: Type.String(), sites: Type.Integer() }),
    { description: 'The five plugins with a pending update on the most sites.' },
  ),
  expiring_licenses: Type.Unsafe<ExpiringLicense[] | null>({
    type: ['array', 'null'],
    maxItems: EXPIRING_LICENSES_MAX,
    description: `The first ${EXPIRING_LICENSES_MAX}. Null: the user may not see licenses.`,
    items: Type.Object({
      id: Type.Integer(),
      key_last_six: Type.String(),
      name: nullable.string(),
      plan: Type.String(),
      expires_at: timestamp(),
      sites_used: Type.Integer(),
    }),
  }),
  expiring_certificates: Type.Object(
    {
      count: Type.Integer(),
      sites: Type.Array(
        Type.Object({ site_id: Type.Integer(), name: Type.String(), expires_at: timestamp() }),
      ),
    },
    {
      description: `Sites whose certificate has expired or expires within ${CERTIFICATE_NOTICE_DAYS} days: their number, and the three that expire first.`,
    },
  ),
  updates_by_day: Type.Array(UpdatesOfDay, {
    description: `The last ${UPDATE_HISTORY_DAYS} days, the oldest first, on the sites that the user may see.`,
  }),
  versions: Type.Object({
    cms: versionsInUse('Versions of the CMS.'),
    php: versionsInUse('Versions of PHP, such as 8.3.'),
  }),
  audit_warning: auditWarning,
  halted_rollouts: Type.Array(
    Type.Object({
      rollout_id: Type.Integer(),
      name: Type.String(),
      reason: nullable.string(),
    }),
    { description: 'The newest halted rollouts that the user may see, at most five.' },
  ),
});
/** A problem with the audit log. `alarm`: records were, or may have been, removed or changed. */
export type AuditWarning = {
  severity: (typeof SEVERITIES)[number];
  record_id: number | null;
  message: string;
};
export type ExpiringLicense = {
  id: number;
  key_last_six: string;
  name: string | null;
  plan: string;
  expires_at: string;
  sites_used: number;
};
export type Overview = Type.Static<typeof Overview>;
export const OverviewResponse = Type.Object({ success: trueOnly(), overview: Overview });
