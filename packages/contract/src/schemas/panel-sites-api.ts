import Type from 'typebox';
import { LICENSE_STATUSES } from '../license-verdict.ts';
import { ARCHIVE_SITES_MAX, CHECKED_PAGES_MAX, SITE_IDS_MAX } from '../limits.ts';
import { SITE_COLUMNS } from '../site-columns.ts';
import { CERTIFICATE_FILTERS } from '../site-health.ts';
import { CALL_OBSTACLES, type CallObstacle, SITE_STATUSES } from '../site-status.ts';
import { SUPPORT_FILTERS } from '../version-support.ts';
import { SiteBackup } from './backup-state.ts';
import {
  ID_PATTERN,
  nullable,
  requiredText,
  stringEnum,
  timestamp,
  trueOnly,
  WITHOUT_NUL_PATTERN,
} from './common.ts';
import { ExplainedHold, HeldItem } from './holds.ts';
import { ItemError, VersionWarning, WATCH_STATES } from './item-errors-api.ts';
import { ACTIVATION_STATUSES, ENVIRONMENTS, Inventory } from './license-api.ts';
import { REACHABILITY_DAYS } from './reachability-api.ts';
import { alarmReport, faultReport } from './site-problems.ts';

/** Requests of the site screens to the panel. Values in a query string are text. */

export const PAGE_LIMIT_MAX = 200;
export const PAGE_LIMIT_DEFAULT = 50;
/** A list counts at most this many results. Beyond it, the total is not exact. */
export const TOTAL_MAX = 1000;
export const HISTORY_PAGE_SIZE = 50;

/** `status` sorts by urgency, then by name. */
export const SITE_SORTS = [
  'name',
  'status',
  'pending',
  'last_check',
  'cms_version',
  'php_version',
  'plugin_version',
] as const;
export type SiteSort = (typeof SITE_SORTS)[number];

export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** `updatable`: the site has a pending update, and the panel may call it, so an update does not skip it. */
export const PENDING_FILTERS = ['any', 'updatable', 'plugins', 'themes', 'core', 'none'] as const;
export type PendingFilter = (typeof PENDING_FILTERS)[number];

export const SOFTWARE_TYPES = ['plugin', 'theme', 'core'] as const;
export type SoftwareType = (typeof SOFTWARE_TYPES)[number];

/** User input in a query string. */
export const userInput = (maxLength: number) =>
  Type.String({ maxLength, pattern: WITHOUT_NUL_PATTERN });
/** The id of a row, as text in a path or query string. */
export const idString = () => Type.String({ pattern: ID_PATTERN });

export const pageQuery = {
  cursor: Type.Optional(userInput(4096)),
  limit: Type.Optional(userInput(20)),
};

const siteFilters = {
  search: Type.Optional(userInput(500)),
  status: Type.Optional(stringEnum(SITE_STATUSES)),
  pending: Type.Optional(stringEnum(PENDING_FILTERS)),
  environment: Type.Optional(stringEnum(ENVIRONMENTS)),
  tag: Type.Optional(userInput(200)),
  license_id: Type.Optional(idString()),
  /** The id of a client, or `none` for sites without a client. */
  client_id: Type.Optional(
    Type.String({ pattern: `${ID_PATTERN}|^none$`, description: 'An id, or `none`.' }),
  ),
  /** `true`: only archived sites. Absent: only sites that are not archived. */
  archived: Type.Optional(stringEnum(['true'])),
  /** Sites with this software. `software` is a slug; the other three filters need it. */
  software: Type.Optional(userInput(500)),
  software_type: Type.Optional(stringEnum(SOFTWARE_TYPES)),
  software_version: Type.Optional(userInput(64)),
  software_outdated: Type.Optional(stringEnum(['true'])),
  /** Sites whose Steward plugin is older than the one of the panel. */
  steward_plugin: Type.Optional(stringEnum(['outdated'])),
  /** Sites with a PHP or WordPress version whose support has ended or ends soon. */
  support: Type.Optional(stringEnum(SUPPORT_FILTERS)),
  /** `expiring`: sites whose certificate has expired or expires within 14 days. */
  certificate: Type.Optional(stringEnum(CERTIFICATE_FILTERS)),
};

export const SitesQuery = Type.Object({
  ...siteFilters,
  ...pageQuery,
  sort: Type.Optional(stringEnum(SITE_SORTS)),
  order: Type.Optional(stringEnum(SORT_ORDERS)),
});
export type SitesQuery = Type.Static<typeof SitesQuery>;

export const SitesExportQuery = Type.Object({
  ...siteFilters,
  sort: Type.Optional(stringEnum(SITE_SORTS)),
  order: Type.Optional(stringEnum(SORT_ORDERS)),
  columns: Type.Optional(
    Type.String({
      maxLength: 200,
      description: `Columns, separated by commas. Absent: all. ${SITE_COLUMNS.join(', ')}.`,
    }),
  ),
});
export type SitesExportQuery = Type.Static<typeof SitesExportQuery>;

export const SiteSelectionQuery = Type.Object(siteFilters);
export type SiteSelectionQuery = Type.Static<typeof SiteSelectionQuery>;

export const PendingCounts = Type.Object({
  plugins: Type.Integer(),
  themes: Type.Integer(),
  core: Type.Integer(),
});
export type PendingCounts = Type.Static<typeof PendingCounts>;

/** The item of the filter `software` on one site. */
export const InstalledItem = Type.Object({
  version: Type.String(),
  new_version: nullable.string(),
  active: Type.Boolean(),
  hold: Type.Optional(ExplainedHold),
  /** What real requests say since Steward installed this version. */
  health: Type.Optional(stringEnum(WATCH_STATES)),
  /** When the site first reported this version. */
  changed_at: nullable.timestamp(),
});
export type InstalledItem = Type.Static<typeof InstalledItem>;

export const SiteItem = Type.Object({
  id: Type.Integer(),
  name: Type.String({
    description:
      'The address without the scheme: host and path. With a display name: this name, and the address in parentheses.',
  }),
  display_name: nullable.string(),
  url: Type.String(),
  status: stringEnum(SITE_STATUSES),
  fault: faultReport,
  alarm: alarmReport,
  cms_version: Type.String(),
  php_version: Type.String(),
  plugin_version: Type.String(),
  pending: PendingCounts,
  last_check_at: nullable.timestamp(),
  inventory_at: nullable.timestamp(),
  backed_up_at: {
    ...nullable.timestamp(),
    description:
      'The time to which the whole site can be restored: database and files. Null: not known.',
  },
  certificate_expires_at: {
    ...nullable.timestamp(),
    description: 'Of the last ping over HTTPS. Null: not known.',
  },
  reachability_days: Type.String({
    description: `The last ${REACHABILITY_DAYS} days in UTC, one letter each, the oldest first: \`u\` up, \`d\` down for some time, \`n\` not known.`,
  }),
  tags: Type.Array(Type.String()),
  client: Type.Unsafe<{ id: number; name: string } | null>({
    ...Type.Object({ id: Type.Integer(), name: Type.String() }),
    type: ['object', 'null'],
  }),
  license: Type.Object({
    id: Type.Integer(),
    key_last_six: Type.String(),
    name: nullable.string(),
    status: stringEnum(LICENSE_STATUSES),
  }),
  counted: Type.Boolean(),
  environment: stringEnum(ENVIRONMENTS),
  archived_at: nullable.timestamp(),
  installed: Type.Optional({
    ...InstalledItem,
    description: 'Only in lists with the filter `software`.',
  }),
});
export type SiteItem = Type.Static<typeof SiteItem>;

/** The number of results. `is_exact: false`: there are at least that many. */
export const Total = Type.Unsafe<{ count: number; is_exact: boolean } | null>({
  ...Type.Object({ count: Type.Integer(), is_exact: Type.Boolean() }),
  type: ['object', 'null'],
  description: 'Null on every page except the first.',
});
export type Total = Type.Static<typeof Total>;

export const page = {
  next_cursor: nullable.string(),
  total: Total,
};

export const SitesResponse = Type.Object({
  success: trueOnly(),
  sites: Type.Array(SiteItem),
  ...page,
});

export const SiteSelectionResponse = Type.Object({
  success: trueOnly(),
  site_ids: Type.Array(Type.Integer()),
  is_complete: Type.Boolean({ description: `False: more than ${SITE_IDS_MAX} sites match.` }),
  pending: PendingCounts,
});

export const ArchiveSitesRequest = Type.Object({
  site_ids: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: ARCHIVE_SITES_MAX,
  }),
});

/** The number of sites that were archived or restored, and the number of ids without a site. */
export const ArchiveSitesResponse = Type.Object({
  success: trueOnly(),
  changed: Type.Integer(),
  not_found: Type.Integer(),
});
export type ArchiveSitesResponse = Type.Static<typeof ArchiveSitesResponse>;

/** Each list of sites in a preview names at most this number of sites. */
export const PREVIEW_SITES_MAX = 100;

/**
 * An update that some sites offer. Sites that offer another version of the same item, or on which a rule holds it back,
 * are in another entry.
 */
export const OfferedItem = Type.Object({
  type: stringEnum(['plugin', 'theme', 'core']),
  slug: Type.String(),
  name: Type.String(),
  version: Type.String({ description: 'The offered version.' }),
  old_versions: Type.Array(Type.String()),
  site_ids: Type.Array(Type.Integer()),
  hold: Type.Optional(ExplainedHold),
  warning: Type.Optional(VersionWarning),
});
export type OfferedItem = Type.Static<typeof OfferedItem>;

const firstSites = () =>
  Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }), {
    description: `The first ${PREVIEW_SITES_MAX}.`,
  });

/** The effect of an update, based on the last report of each site. */
export const UpdatePreview = Type.Object({
  to_update: Type.Object({
    site_ids: Type.Array(Type.Integer()),
    pending: PendingCounts,
    sites: firstSites(),
    items: Type.Array(OfferedItem, {
      description: 'The updates to choose from, for the sites that can update single items.',
    }),
  }),
  items_unsupported: Type.Object(
    { site_ids: Type.Array(Type.Integer()), sites: firstSites() },
    { description: 'Sites of `to_update` whose plugin is too old to update only selected items.' },
  ),
  held: Type.Object(
    {
      count: Type.Integer(),
      sites: Type.Array(
        Type.Object({
          id: Type.Integer(),
          name: Type.String(),
          explanation: Type.String(),
          hold: Type.Optional(ExplainedHold),
        }),
      ),
    },
    { description: 'Sites that the run refuses because of a rule or a quarantine.' },
  ),
  nothing_pending: Type.Object({ site_ids: Type.Array(Type.Integer()) }),
  skipped: Type.Object({
    count: Type.Integer(),
    sites: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        status: stringEnum(CALL_OBSTACLES),
      }),
    ),
  }),
  not_found: Type.Integer({
    description: 'The number of sites that do not exist or that the user may not see.',
  }),
});
export type UpdatePreview = Type.Static<typeof UpdatePreview>;
export const UpdatePreviewResponse = Type.Object({ success: trueOnly(), preview: UpdatePreview });

export const HistoryRecord = Type.Object({
  id: Type.Integer(),
  at: timestamp(),
  actor: Type.String(),
  actor_name: nullable.string(),
  action: Type.String(),
  entity_type: Type.String(),
  context: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  license_name: {
    ...nullable.string(),
    description: 'The license in the context. Null: it names none, or the user may not see it.',
  },
});
export type HistoryRecord = Type.Static<typeof HistoryRecord>;

/** The site key, the shared license key, or a license key that was replaced. */
export const SiteKeyKind = stringEnum(['site', 'license', 'old_license']);
export type SiteKeyKind = Type.Static<typeof SiteKeyKind>;

export const ApproveEndpointRequest = Type.Object({ endpoint_url: requiredText(2000) });

export const SiteDetails = Type.Object({
  ...SiteItem.properties,
  note: nullable.string(),
  /** The endpoint at which the panel calls the site. */
  endpoint_url: nullable.string(),
  /** The endpoint that the site reported last. The panel calls it after its proof, and `endpoint_url` until then. */
  unproven_endpoint_url: nullable.string(),
  /** An endpoint that is not a standard one of the site. The panel asks it for a proof after an owner has approved it. */
  requested_endpoint_url: nullable.string(),
  has_web_login: Type.Boolean({
    description: 'The panel has a login for HTTP basic authentication on the site.',
  }),
  checked_pages: Type.Array(Type.String(), {
    description: 'Pages that the health check of the site opens too: path and query.',
  }),
  key: SiteKeyKind,
  key_ends_at: nullable.timestamp(),
  accepts_unsigned_calls: Type.Boolean({
    description: 'The site accepts unsigned calls, with its key only.',
  }),
  address: Type.Object({
    proven: Type.Boolean({ description: 'The site has proven that it controls its address.' }),
    error: nullable.string(),
  }),
  created_at: timestamp(),
  remote: Type.Object({
    possible: Type.Boolean({ description: 'True: the panel may call the site.' }),
    obstacle: Type.Unsafe<CallObstacle | null>({
      type: ['string', 'null'],
      enum: [...CALL_OBSTACLES, null],
      description:
        'The reason why the panel may not call the site. `remote_off`: the license does not include the Remote service. `key_expired`: the license got a new key, and the old one of the site has ended.',
    }),
    can_choose_updates: Type.Boolean({
      description: 'False: the Steward plugin is too old to install only selected updates.',
    }),
    can_log_in: Type.Boolean({
      description:
        'True: an administrator of the site has allowed log-in from the panel. The site may have stopped allowing it since.',
    }),
  }),
  license: Type.Object({
    ...SiteItem.properties.license.properties,
    plan: Type.Object({ name: Type.String(), slug: Type.String() }),
    services: Type.Array(Type.String()),
    expires_at: nullable.timestamp(),
  }),
  activation: Type.Object({
    status: stringEnum(ACTIVATION_STATUSES),
    activated_at: timestamp(),
    deactivated_at: nullable.timestamp(),
  }),
  inventory: Type.Unsafe<Inventory | null>({ ...Inventory, type: ['object', 'null'] }),
  held_items: Type.Array(HeldItem, {
    description: 'The pending updates that a rule or a quarantine holds back.',
  }),
  backups: Type.Unsafe<SiteBackup[] | null>({
    ...Type.Array(SiteBackup),
    type: ['array', 'null'],
    description:
      'The last backups of the active backup plugins. Empty: the site has none that Steward knows. Null: the site has not reported.',
  }),
  item_errors: Type.Array(ItemError, {
    description:
      'The fatal errors of plugins, themes and core on requests of the site, the last one first.',
  }),
});
export type SiteDetails = Type.Static<typeof SiteDetails>;

const history = {
  history: Type.Array(HistoryRecord),
  next_before: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The `before` of the next page. Null: this is the last page.',
  }),
};

export const SiteResponse = Type.Object({ success: trueOnly(), site: SiteDetails, ...history });
export const HistoryQuery = Type.Object({ before: Type.Optional(idString()) });
export const HistoryResponse = Type.Object({ success: trueOnly(), ...history });

/** The panel checks each entry with `findPagePathProblem`. An empty list removes all pages. */
export const CheckedPagesRequest = Type.Object({
  checked_pages: Type.Array(Type.String({ maxLength: 2000 }), { maxItems: CHECKED_PAGES_MAX }),
});
export type CheckedPagesRequest = Type.Static<typeof CheckedPagesRequest>;

/** HTTP basic authentication: no colon in the user name, no control characters in either. */
export const WebLogin = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^:\\x00-\\x1f\\x7f]+$' }),
  password: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\x00-\\x1f\\x7f]+$' }),
});
export type WebLogin = Type.Static<typeof WebLogin>;
