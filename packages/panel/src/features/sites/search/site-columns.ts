import {
  type ActivationStatus,
  type Environment,
  REACHABILITY_DAYS,
  type SiteAlarm,
  type SiteFault,
  type StoredLicenseStatus,
} from '@steward/contract';
import { sql } from 'kysely';
import { inNaturalOrder } from '../../../platform/database/natural-order.ts';
import type { StoredDay } from '../reachability-letters.ts';

export type SiteRow = {
  id: number;
  /** For users: the display name and the address. */
  name: string;
  display_name: string | null;
  url: string;
  pending_plugins: number;
  pending_themes: number;
  pending_core: number;
  inventory_at: Date | null;
  backed_up_at: Date | null;
  fault: SiteFault | null;
  fault_code: string | null;
  fault_error: string | null;
  fault_at: Date | null;
  fault_run_id: number | null;
  alarm: SiteAlarm | null;
  alarm_at: Date | null;
  alarm_route: string | null;
  alarm_called_at: Date | null;
  license_id: number;
  key_last_six: string;
  license_name: string | null;
  license_status: StoredLicenseStatus;
  expires_at: Date | null;
  services: string[];
  activation_status: ActivationStatus;
  counted: boolean;
  environment: Environment;
  cms_version: string;
  php_version: string;
  plugin_version: string;
  last_check_at: Date | null;
  archived_at: Date | null;
  certificate_expires_at: Date | null;
  days: StoredDay[];
  tags: string[];
  client: { id: number; name: string } | null;
};

/** The last stored days. As an array of numbers: JSON takes four times as long. */
const DAYS = sql`(SELECT coalesce(array_agg(ARRAY[d.day - date '1970-01-01', d.checks, d.failed, d.seconds_down]), '{}')
  FROM (SELECT day, checks, failed, seconds_down FROM site_days WHERE site_id = s.id
    ORDER BY day DESC LIMIT ${sql.lit(REACHABILITY_DAYS)}) d)`;

/** Selects a `SiteRow` from `sites s`, `license_activations a`, `licenses l` and `plans p`. */
export const SITE_COLUMNS = sql`
  s.id, site_label(s.display_name, s.url) AS name, s.display_name, s.url, s.archived_at, s.pending_plugins, s.pending_themes, s.pending_core, s.inventory_at, s.backed_up_at,
  s.fault, s.fault_code, s.fault_error, s.fault_at, s.fault_run_id,
  s.alarm, s.alarm_at, s.alarm_route, s.alarm_called_at,
  s.license_id, l.key_last_six, l.name AS license_name, l.status AS license_status, l.expires_at,
  coalesce(l.services, p.services) AS services,
  a.status AS activation_status, a.counted, a.environment, a.cms_version, a.php_version,
  a.plugin_version, a.last_check_at,
  (SELECT r.certificate_expires_at FROM site_reachability r WHERE r.site_id = s.id) AS certificate_expires_at,
  ${DAYS} AS days,
  ARRAY(SELECT t.name FROM site_tags st JOIN tags t ON t.id = st.tag_id
        WHERE st.site_id = s.id AND t.client_id IS NULL ORDER BY ${inNaturalOrder(sql`t.name`)}) AS tags,
  (SELECT jsonb_build_object('id', c.id, 'name', c.name) FROM client_memberships m JOIN clients c ON c.id = m.client_id
    WHERE m.site_id = s.id AND m.ended_at IS NULL) AS client`;
