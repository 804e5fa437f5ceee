import type { SiteFailureCode } from './failures.ts';
import { type Role, roleMay } from './roles.ts';
import type { RolloutHaltCode } from './rollout-states.ts';
import type { SoftwareType } from './schemas/panel-sites-api.ts';
import type { HealthSignal } from './site-health.ts';

/** What Steward announces by e-mail, Slack and webhook. The names and fields are part of the webhook format. */
export type NotificationEvent =
  | {
      type: 'run.finished_with_failures';
      data: {
        run_id: number;
        sites: number;
        /** With the partly failed ones. */
        failed: number;
        /** Absent in events of older versions. */
        partly_failed?: number;
        unverified: number;
        unknown: number;
        /** Only pages could not be checked. Absent in events of older versions. */
        unchecked?: number;
      };
    }
  | {
      type: 'rollout.halted';
      data: {
        rollout_id: number;
        name: string;
        ring: string;
        reason: string;
        /** Only if the rollout waits for proof. */
        code?: RolloutHaltCode;
      };
    }
  | { type: 'version.quarantined'; data: QuarantinedVersion & { reason: string } }
  | {
      type: 'version.troubled';
      data: QuarantinedVersion & {
        site_id: number;
        site_name: string;
        error: string;
        place: string;
      };
    }
  | {
      type: 'site.down';
      data: SiteOfEvent & {
        since: string;
        reason: string;
        /** The code of the reason, and what failed. Absent in events of older versions. */
        code?: SiteFailureCode;
        signal?: HealthSignal;
      };
    }
  | { type: 'site.up'; data: SiteOfEvent & { down_since: string; up_since: string } }
  | {
      type: 'license.ending';
      data: { license_id: number; license_name: string; expires_at: string };
    }
  | {
      type: 'license.limit_reached';
      data: { license_id: number; license_name: string; site_limit: number };
    }
  | { type: 'audit.verification_failed'; data: { reason: string } }
  | { type: 'backup.failed'; data: { reason: string } };

export type NotificationEventType = NotificationEvent['type'];

type SiteOfEvent = { site_id: number; site_name: string; site_url: string };
type QuarantinedVersion = { item_type: SoftwareType; slug: string; name: string; version: string };

/** In the order in which the screens list them. */
export const NOTIFICATION_EVENT_TYPES = [
  'run.finished_with_failures',
  'rollout.halted',
  'version.quarantined',
  'version.troubled',
  'site.down',
  'site.up',
  'license.ending',
  'license.limit_reached',
  'audit.verification_failed',
  'backup.failed',
] as const satisfies NotificationEventType[];

/**
 * The events that users without the role owner can get, for the sites that they may see and for their own runs and
 * rollouts. The other events are for owners only.
 */
const EVENT_TYPES_OF_ALL_ROLES: readonly NotificationEventType[] = [
  'run.finished_with_failures',
  'rollout.halted',
  'site.down',
  'site.up',
];

/** The event types that a user with this role can choose. */
export function notificationTypesFor(role: Role): NotificationEventType[] {
  return NOTIFICATION_EVENT_TYPES.filter(
    (type) => roleMay(role, 'owner') || EVENT_TYPES_OF_ALL_ROLES.includes(type),
  );
}
