import type {
  AuditRecord,
  AuditResponse,
  LicenseDetails,
  LicenseSummary,
  Overview,
  PanelReach,
  RunDetailsResponse,
  RunSummary,
  RunTask,
  SecondFactors,
  SiteDetails,
  SiteItem,
  SitesResponse,
  UserSummary,
} from '@steward/contract';
import type { Static } from 'typebox';
import { signedInUser } from './render-screen.tsx';

// Responses of the panel with default values. A test overrides only the values that it checks.

type Run = Static<typeof RunSummary>;
type Task = Static<typeof RunTask>;

export const MOMENT = '2026-06-01T12:00:00.000Z';
export const inDays = (days: number): string =>
  new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();

export const userSummary = (overrides: Partial<UserSummary> = {}): UserSummary => ({
  ...signedInUser('owner'),
  invited: false,
  disabled: false,
  second_factor: false,
  created_at: MOMENT,
  last_sign_in_at: MOMENT,
  ...overrides,
});
export const users = (...list: UserSummary[]) => ({
  success: true as const,
  users: list.length > 0 ? list : [userSummary()],
});

export const auditRecord = (overrides: Partial<AuditRecord> = {}): AuditRecord => ({
  id: 1,
  at: MOMENT,
  actor: '1',
  action: 'succeed',
  entity_type: 'sign_in',
  entity_id: '1',
  site_id: null,
  context: {},
  ip: '127.0.0.1',
  request_id: 'request-1',
  ...overrides,
});
export const auditPage = (
  records: AuditRecord[],
  overrides: Partial<Static<typeof AuditResponse>> = {},
): Static<typeof AuditResponse> => ({
  success: true,
  records,
  names: [{ type: 'user', id: 1, name: 'Olive' }],
  next_before: null,
  complete_from: null,
  ...overrides,
});

export const REMOTE = {
  slug: 'remote',
  name: 'Remote management',
  description: 'Update plugins, themes and core from the panel, and switch plugins on and off.',
  version: '1.0.0',
  category: 'management',
};
export const SERVICES = { success: true as const, services: [REMOTE] };

export const plan = (name: string, site_limit: number | null = 50, id = 1) => ({
  id,
  name,
  slug: name.toLowerCase(),
  services: ['remote'],
  site_limit,
});
export const plans = (...list: ReturnType<typeof plan>[]) => ({
  success: true as const,
  plans: list,
});

export const panelSettings = (reach: PanelReach = 'public') => ({
  success: true as const,
  settings: { require_second_factor: false },
  panel: { url: 'https://panel.example.com', reach },
});

export const licenseSummary = (overrides: Partial<LicenseSummary> = {}): LicenseSummary => ({
  id: 1,
  key_last_six: 'C38HP5',
  name: null,
  customer: null,
  status: 'active',
  valid: true,
  plan: { name: 'Agency', slug: 'agency', services: ['remote'] },
  site_limit: 50,
  sites_used: 0,
  sites_remaining: 50,
  expires_at: null,
  created_at: MOMENT,
  ...overrides,
});
export const licenses = (...list: LicenseSummary[]) => ({
  success: true as const,
  licenses: list,
  next_cursor: null,
  total: { count: list.length, is_exact: true },
});
export const licenseDetails = (overrides: Partial<LicenseDetails> = {}) => ({
  success: true as const,
  license: {
    ...licenseSummary(),
    uncounted_sites: 0,
    rotation: null,
    activations_total: 0,
    activations: [],
    ...overrides,
  },
});

export const siteItem = (overrides: Partial<SiteItem> = {}): SiteItem => ({
  id: 1,
  name: 'shop.example.com',
  display_name: null,
  url: 'https://shop.example.com',
  status: 'up_to_date',
  fault: null,
  alarm: null,
  cms_version: '6.8.2',
  php_version: '8.3.11',
  plugin_version: '0.1.0',
  pending: { plugins: 0, themes: 0, core: 0 },
  last_check_at: MOMENT,
  inventory_at: MOMENT,
  backed_up_at: null,
  certificate_expires_at: null,
  reachability_days: 'n'.repeat(30),
  tags: [],
  client: null,
  license: { id: 1, key_last_six: 'C38HP5', name: null, status: 'active' },
  counted: true,
  environment: 'production',
  archived_at: null,
  ...overrides,
});
export const sites = (
  list: SiteItem[],
  overrides: Partial<Static<typeof SitesResponse>> = {},
): Static<typeof SitesResponse> => ({
  success: true,
  sites: list,
  next_cursor: null,
  total: { count: list.length, is_exact: true },
  ...overrides,
});

export const SHOP = 'shop/shop.php';
export const FORMS = 'forms/forms.php';
export const STEWARD_PLUGIN = 'steward/steward.php';
/** A site with three pending updates and the Steward plugin. */
export const siteDetails = (overrides: Partial<SiteDetails> = {}) => ({
  success: true as const,
  site: {
    ...siteItem({ status: 'updates', pending: { plugins: 1, themes: 1, core: 1 } }),
    note: null,
    has_web_login: false,
    checked_pages: [],
    key: 'site' as const,
    key_ends_at: null,
    accepts_unsigned_calls: false,
    address: { proven: true, error: null },
    endpoint_url: 'https://shop.example.com/cms-json/service/v1',
    unproven_endpoint_url: null,
    requested_endpoint_url: null,
    created_at: MOMENT,
    remote: { possible: true, obstacle: null, can_choose_updates: true, can_log_in: true },
    license: {
      id: 1,
      key_last_six: 'C38HP5',
      name: null,
      status: 'active' as const,
      plan: { name: 'Agency', slug: 'agency' },
      services: ['remote'],
      expires_at: null,
    },
    activation: { status: 'active' as const, activated_at: MOMENT, deactivated_at: null },
    inventory: {
      plugins: [
        { plugin: SHOP, name: SHOP, version: '1.0', new_version: '2.0', active: true },
        { plugin: FORMS, name: FORMS, version: '5.3', active: false },
        { plugin: STEWARD_PLUGIN, name: STEWARD_PLUGIN, version: '0.1.0', active: true },
      ],
      themes: [{ slug: 'linen', name: 'linen', version: '1.2', new_version: '1.3', active: true }],
      core: { version: '6.8', new_version: '6.8.1' },
    },
    held_items: [],
    backups: null,
    item_errors: [],
    ...overrides,
  },
  history: [],
  next_before: null,
});
/** The days up to 2026-06-01; the last ones have these seconds down. */
export const reachabilityDays = (...secondsDown: number[]) =>
  Array.from({ length: 30 }, (_, index) => {
    const day = new Date(Date.UTC(2026, 5, 1) - (29 - index) * 86_400_000);
    const seconds_down = secondsDown[index - 30 + secondsDown.length] ?? 0;
    const counts = { checks: secondsDown.length > 0 ? 288 : 0, failed: seconds_down > 0 ? 2 : 0 };
    const response = { response_median_ms: null, response_max_ms: null };
    return { day: day.toISOString().slice(0, 10), ...counts, seconds_down, ...response };
  });

/** The reachability of a site before its first check. */
export const NEVER_CHECKED = {
  success: true as const,
  reachability: {
    state: null,
    since: null,
    reason: null,
    signal: null,
    checked_at: null,
    certificate_expires_at: null,
    days: reachabilityDays(),
    outages: [],
  },
};

export const NO_HISTORY = { success: true as const, history: [], next_before: null };
export const NO_TAGS = { success: true as const, tags: [] };

const NOTHING = { updated: 0, failed: 0 };

const nameOf = (url: string | null = 'https://shop.example.com') =>
  url === null ? null : url.replace(/^https?:\/\//, '');

export const task = (overrides: Partial<Task> = {}): Task => ({
  task_id: 1,
  site_id: 1,
  site_url: 'https://shop.example.com',
  site_name: nameOf(overrides.site_url),
  status: 'succeeded',
  http_status: 200,
  plugins: NOTHING,
  themes: NOTHING,
  core: NOTHING,
  items: null,
  held: null,
  notes: [],
  details: null,
  error: null,
  code: null,
  is_retried: false,
  retried_by: null,
  started_at: MOMENT,
  finished_at: MOMENT,
  ...overrides,
});
/** A finished run with these tasks and their counts. */
export function runOf(
  tasks: Task[],
  overrides: Partial<Run> = {},
): Static<typeof RunDetailsResponse> & Run {
  const counts: Record<string, number> = {};
  for (const { status } of tasks) counts[status] = (counts[status] ?? 0) + 1;
  const isVerifying = ({ status, finished_at }: Task) =>
    status === 'unknown' && finished_at === null;
  const verifying = tasks.filter(isVerifying).length;
  const [first, ...others] = tasks;
  const isOnVisibleSite = first && others.length === 0 && first.site_url !== null;
  return {
    success: tasks.every(({ status }) => status === 'succeeded'),
    run_id: 1,
    kind: 'update',
    request: {},
    site: isOnVisibleSite
      ? {
          site_id: first.site_id,
          site_url: String(first.site_url),
          site_name: String(first.site_name),
        }
      : null,
    item_names: [],
    status: 'finished',
    total: tasks.length,
    counts,
    ...(verifying > 0 && { verifying }),
    created_by: 1,
    retry_of: null,
    is_retried: false,
    retried_by: null,
    rollout: null,
    created_at: MOMENT,
    cancelled_at: null,
    finished_at: MOMENT,
    ...overrides,
    results: tasks,
  };
}
/** Converts a run to an entry of the list of runs. */
export function summaryOf({ results: _, ...summary }: ReturnType<typeof runOf>): Run {
  return summary;
}

const NO_SITES = {
  alarm: 0,
  failing: 0,
  not_reachable: 0,
  updates: 0,
  stale: 0,
  never_synced: 0,
  up_to_date: 0,
  remote_off: 0,
  license_invalid: 0,
  deactivated: 0,
};
/** Thirty days until 30 June. The values replace those of the newest days. */
export const updatesByDay = (...newest: { succeeded: number; failed: number }[]) =>
  Array.from({ length: 30 }, (_, index) => ({
    day: `2026-06-${String(index + 1).padStart(2, '0')}`,
    ...(newest[index - 30 + newest.length] ?? { succeeded: 0, failed: 0 }),
  }));
export const overview = (overrides: Partial<Overview> = {}) => ({
  success: true as const,
  overview: {
    sites: { total: 0, by_status: NO_SITES, with_updates: 0 },
    pending: { plugins: 0, themes: 0, core: 0 },
    without_item_updates: 0,
    older_steward_plugin: { sites: 0, shipped_version: '0.1.0' },
    outdated_plugins: [],
    expiring_licenses: [],
    expiring_certificates: { count: 0, sites: [] },
    updates_by_day: updatesByDay(),
    versions: { cms: null, php: null },
    audit_warning: null,
    halted_rollouts: [],
    ...overrides,
  },
});
/** The overview of one site with updates. */
export const overviewOfOne = (overrides: Partial<Overview> = {}) =>
  overview({
    sites: { total: 1, by_status: { ...NO_SITES, updates: 1 }, with_updates: 1 },
    pending: { plugins: 1, themes: 0, core: 0 },
    outdated_plugins: [{ plugin: SHOP, name: 'Shop', sites: 1 }],
    ...overrides,
  });

export const secondFactors = (overrides: Partial<SecondFactors> = {}) => ({
  success: true as const,
  second_factors: { totp: false, backup_codes: 0, passkeys: [], required: false, ...overrides },
});
