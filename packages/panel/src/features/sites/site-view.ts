import {
  BACKUP_PLUGINS,
  callObstacle,
  evaluateLicense,
  type SiteDetails,
  type SiteFacts,
  type SiteItem,
  type SiteKeyKind,
  siteStatus,
} from '@steward/contract';
import { decideEndpoint } from './decide-endpoint.ts';
import { toReachabilityLetters } from './reachability-letters.ts';
import type { SiteRow } from './search/index.ts';
import type { SiteDetailsRow } from './site-details.repository.ts';

/** Converts database rows to API objects. */

export function toSiteItem(row: SiteRow, now: Date): SiteItem {
  return {
    id: row.id,
    name: row.name,
    display_name: row.display_name,
    url: row.url,
    status: siteStatus(toFacts(row), now),
    fault: toFault(row),
    alarm: toAlarm(row),
    cms_version: row.cms_version,
    php_version: row.php_version,
    plugin_version: row.plugin_version,
    pending: {
      plugins: row.pending_plugins,
      themes: row.pending_themes,
      core: row.pending_core,
    },
    last_check_at: row.last_check_at?.toISOString() ?? null,
    inventory_at: row.inventory_at?.toISOString() ?? null,
    backed_up_at: row.backed_up_at?.toISOString() ?? null,
    certificate_expires_at: row.certificate_expires_at?.toISOString() ?? null,
    reachability_days: toReachabilityLetters(row.days, now),
    tags: row.tags,
    client: row.client,
    license: toLicenseReference(row, now),
    counted: row.counted,
    environment: row.environment,
    archived_at: row.archived_at?.toISOString() ?? null,
  };
}

function toFacts(row: SiteRow): SiteFacts {
  return {
    activationStatus: row.activation_status,
    licenseStatus: row.license_status,
    licenseExpiresAt: row.expires_at,
    services: row.services,
    alarm: row.alarm,
    fault: row.fault,
    pendingTotal: row.pending_plugins + row.pending_themes + row.pending_core,
    inventoryAt: row.inventory_at,
    lastCheckAt: row.last_check_at,
  };
}

function toFault(row: SiteRow): SiteItem['fault'] {
  const { fault_code: code, fault_error: error, fault_at, fault_run_id: run_id } = row;
  if (code === null || error === null || fault_at === null) return null;
  return { code, error, at: fault_at.toISOString(), run_id };
}

function toAlarm(row: SiteRow): SiteItem['alarm'] {
  const { alarm: kind, alarm_at: at, alarm_route: route, alarm_called_at: calledAt } = row;
  if (kind === null || at === null) return null;
  return { kind, at: at.toISOString(), route, called_at: calledAt?.toISOString() ?? null };
}

/** For this view, a license is active if it is active on this site; its other sites do not count. */
function toLicenseReference(row: SiteRow, now: Date): SiteItem['license'] {
  const facts = {
    storedStatus: row.license_status,
    expiresAt: row.expires_at,
    activeSites: row.activation_status === 'active' ? 1 : 0,
  };
  const { status } = evaluateLicense(facts, now);
  const { license_id: id, key_last_six, license_name: name } = row;
  return { id, key_last_six, name, status };
}

export function toSiteDetails(
  row: SiteDetailsRow,
  now: Date,
): Omit<SiteDetails, 'held_items' | 'item_errors'> {
  const item = toSiteItem(row, now);
  const obstacle = callObstacle({ ...toFacts(row), keyEndsAt: row.key_ends_at }, now);
  const { callUrl, chosenUrl, needsProof } = decideEndpoint(row);
  return {
    ...item,
    note: row.note,
    endpoint_url: callUrl ?? chosenUrl,
    unproven_endpoint_url: needsProof && callUrl !== null ? chosenUrl : null,
    requested_endpoint_url: row.requested_endpoint_url,
    has_web_login: row.has_web_login,
    checked_pages: row.checked_pages,
    key: keyKindOfSite(row),
    key_ends_at: row.key_ends_at?.toISOString() ?? null,
    accepts_unsigned_calls: row.accepts_unsigned_calls,
    address: {
      proven: row.has_site_key && callUrl !== null,
      error: needsProof ? row.proof_error : null,
    },
    created_at: row.created_at.toISOString(),
    remote: {
      possible: obstacle === null,
      obstacle,
      can_choose_updates: row.capabilities.includes('update.items'),
      can_log_in: row.has_site_key && row.capabilities.includes('login'),
    },
    license: {
      ...item.license,
      plan: { name: row.plan_name, slug: row.plan_slug },
      services: row.services,
      expires_at: row.expires_at?.toISOString() ?? null,
    },
    activation: {
      status: row.activation_status,
      activated_at: row.activated_at.toISOString(),
      deactivated_at: row.deactivated_at?.toISOString() ?? null,
    },
    inventory: row.inventory,
    backups:
      row.backups?.map((backup) => ({ ...backup, name: BACKUP_PLUGINS[backup.plugin] })) ?? null,
  };
}

export function keyKindOfSite(activation: {
  has_site_key: boolean;
  key_ends_at: Date | null;
}): SiteKeyKind {
  if (activation.has_site_key) return 'site';
  return activation.key_ends_at === null ? 'license' : 'old_license';
}
