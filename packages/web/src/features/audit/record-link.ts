import type { AuditEntityType, AuditNamedType, AuditRecord } from '@steward/contract';
import type { LinkProps } from '@tanstack/react-router';
import { SOFTWARE_TYPES } from '../../lib/software-types.ts';

export type RecordLink = Pick<LinkProps, 'to' | 'params' | 'search'>;
type Exists = (type: AuditNamedType, id: unknown) => boolean;
type Target = (record: AuditRecord, exists: Exists) => RecordLink | null;

const nothing: Target = () => null;
const user: Target = ({ entity_id, context }, exists) => {
  const id = context.user_id ?? entity_id;
  return exists('user', id) ? { to: '/users', search: { user: String(id) } } : null;
};
const site: Target = ({ site_id }, exists) =>
  exists('site', site_id) ? { to: '/sites/$siteId', params: { siteId: String(site_id) } } : null;
const software: Target = ({ context }) => {
  const type = SOFTWARE_TYPES.find((each) => each === (context.item_type ?? context.type));
  if (!type || typeof context.slug !== 'string') return null;
  return { to: '/software/item', search: { type, slug: context.slug } };
};

/** The page of the entity of a record, by its type. Null: it has no page, or it no longer exists. */
const TARGETS: Record<AuditEntityType, Target> = {
  remote_update: site,
  remote_plugin: site,
  remote_site: site,
  package: software,
  update_rule: ({ entity_id }, exists) =>
    exists('update_rule', entity_id) ? { to: '/rules', search: { rule: entity_id } } : null,
  quarantined_version: software,
  run: ({ entity_id }) => ({ to: '/runs/$runId', params: { runId: entity_id } }),
  schedule: ({ entity_id }, exists) =>
    exists('schedule', entity_id) ? { to: '/schedules' } : null,
  rollout: ({ entity_id }) => ({ to: '/rollouts/$rolloutId', params: { rolloutId: entity_id } }),
  site,
  activation: site,
  license: ({ entity_id }, exists) =>
    exists('license', entity_id)
      ? { to: '/licenses/$licenseId', params: { licenseId: entity_id } }
      : null,
  // Clients are archived, not deleted.
  client: ({ entity_id }) => ({ to: '/clients', search: { client: entity_id } }),
  plan: () => ({ to: '/services' }),
  signing_key: nothing,
  user,
  access: user,
  sign_in: user,
  session: user,
  access_token: user,
  setup_link: nothing,
  notification_channel: ({ entity_id }, exists) =>
    exists('notification_channel', entity_id) ? { to: '/notifications' } : null,
  setting: () => ({ to: '/users' }),
  audit_log: nothing,
  backup: nothing,
};

export function findRecordLink(record: AuditRecord, exists: Exists): RecordLink | null {
  // A newer panel may record types that this page does not know.
  const target: Target | undefined = (TARGETS as Record<string, Target>)[record.entity_type];
  return target?.(record, exists) ?? null;
}
