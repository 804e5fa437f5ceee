import Type from 'typebox';
import { INSTALL_ITEMS_MAX, RUN_ITEMS_MAX, SITE_IDS_MAX, UPDATE_ITEMS_MAX } from '../limits.ts';
import {
  ErrorBody,
  nullable,
  POSITION_PATTERN,
  RUNS_LIMIT_PATTERN,
  stringEnum,
  TASKS_LIMIT_PATTERN,
  timestamp,
  trueOnly,
  versionInput,
} from './common.ts';
import { HeldItems } from './holds.ts';
import { Watch } from './item-errors-api.ts';
import { BulkUpdateResponse, PluginActionRequest, UpdateItem } from './site-api.ts';
import { DirectoryItem, RestoreItem } from './site-packages-api.ts';

/** The API for signed-in users: updates, plugin actions and runs. */

export const CSRF_HEADER = 'X-CSRF-TOKEN';

const entityId = () => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const SiteIdsRequest = Type.Object({
  site_ids: Type.Array(entityId(), { minItems: 1, maxItems: SITE_IDS_MAX }),
});
export type SiteIdsRequest = Type.Static<typeof SiteIdsRequest>;

/**
 * Without `items`, each site installs every pending update. With `items`, each site updates the listed items that it
 * has. The same item may occur with several versions, because sites can offer different versions.
 */
export const RemoteUpdateRequest = Type.Object({
  ...SiteIdsRequest.properties,
  items: Type.Optional(
    Type.Array(Type.Object({ ...UpdateItem.properties, version: Type.Optional(versionInput()) }), {
      minItems: 1,
      maxItems: RUN_ITEMS_MAX,
    }),
  ),
});
export type RemoteUpdateRequest = Type.Static<typeof RemoteUpdateRequest>;

/**
 * Each site restores the listed versions that it has saved. The same item may occur with several versions, because
 * sites can have saved different versions.
 */
export const RestoreOnSitesRequest = Type.Object({
  ...SiteIdsRequest.properties,
  items: Type.Array(Type.Object({ ...RestoreItem.properties, version: versionInput() }), {
    minItems: 1,
    maxItems: UPDATE_ITEMS_MAX,
  }),
});
export type RestoreOnSitesRequest = Type.Static<typeof RestoreOnSitesRequest>;

/** At least one package or item, at most INSTALL_ITEMS_MAX together. */
export const InstallOnSitesRequest = Type.Object({
  ...SiteIdsRequest.properties,
  packages: Type.Optional(
    Type.Array(entityId(), {
      maxItems: INSTALL_ITEMS_MAX,
      description: 'Ids of packages that were uploaded to the panel.',
    }),
  ),
  items: Type.Optional(
    Type.Array(DirectoryItem, {
      maxItems: INSTALL_ITEMS_MAX,
      description: 'Items of the public directory of the CMS.',
    }),
  ),
});
export type InstallOnSitesRequest = Type.Static<typeof InstallOnSitesRequest>;

/** Without `site_ids`, the panel retries all unsuccessful sites of the run. */
export const RunRetryRequest = Type.Unsafe<Partial<SiteIdsRequest> | null>({
  ...Type.Partial(SiteIdsRequest),
  type: ['object', 'null'],
});

export const RUN_STATUSES = ['running', 'finished'] as const;
export const TASK_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'partial',
  'failed',
  'unverified',
  'unknown',
  'refused',
  'cancelled',
] as const;

const itemCounts = () => Type.Object({ updated: Type.Integer(), failed: Type.Integer() });

export const RemoteUpdateResult = Type.Object({
  site_id: Type.Integer(),
  site_url: nullable.string(),
  /** The name for users: the display name and the address. */
  site_name: nullable.string(),
  status: stringEnum(TASK_STATUSES),
  http_status: nullable.integer(),
  plugins: itemCounts(),
  themes: itemCounts(),
  core: itemCounts(),
  details: Type.Unsafe<Type.Static<typeof BulkUpdateResponse> | null>({
    ...BulkUpdateResponse,
    type: ['object', 'null'],
  }),
  error: nullable.string(),
  code: nullable.string(),
});

export const RemoteUpdateResponse = Type.Object({
  success: Type.Boolean(),
  run_id: Type.Integer(),
  status: stringEnum(RUN_STATUSES),
  results: Type.Array(RemoteUpdateResult),
});

const pageCounts = () => ({
  pages_compared: Type.Optional(
    Type.Integer({ description: 'Pages compared with their state before the change.' }),
  ),
  pages_planned: Type.Optional(
    Type.Integer({
      description: 'Pages to compare. Absent: the site did not report how far it checked.',
    }),
  ),
});

/** `RemoteUpdateResult` with more fields of the task. */
export const RunTask = Type.Object({
  task_id: Type.Integer(),
  ...RemoteUpdateResult.properties,
  items: Type.Unsafe<UpdateItem[] | null>({
    type: ['array', 'null'],
    items: UpdateItem,
    description: 'The items to update on this site. Null: all pending updates.',
  }),
  held: Type.Unsafe<HeldItems | null>({
    ...HeldItems,
    type: ['object', 'null'],
    description: 'What a rule or a quarantine holds back on this site.',
  }),
  notes: Type.Array(Type.String(), {
    description: 'Warnings of the site, or the reason why the task is unverified.',
  }),
  details_omitted: Type.Optional(
    Type.Unsafe<true>({
      type: 'boolean',
      enum: [true],
      description: 'The details do not fit into this response. Request the task alone to get them.',
    }),
  ),
  is_retried: Type.Boolean({ description: 'True: another run has retried this site.' }),
  retried_by: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description:
      'The id of the run that retried this site. Null: not retried, or the user may not see that run.',
  }),
  window_opens_at: Type.Optional(
    Type.String({
      ...timestamp(),
      description: 'Only of a queued task of a schedule: the site is not called before this time.',
    }),
  ),
  watch: Type.Optional(
    Type.Object(
      {
        ...Watch.properties,
        ...pageCounts(),
      },
      { description: 'What real requests say since the update. Absent: the task updated no item.' },
    ),
  ),
  started_at: nullable.timestamp(),
  finished_at: nullable.timestamp(),
});

export const RUN_KINDS = [
  'update',
  'plugin_action',
  'sync',
  'install',
  'restore',
  'self_update',
] as const;
export type RunKind = (typeof RUN_KINDS)[number];

const RunSite = Type.Object({
  site_id: Type.Integer(),
  site_url: Type.String(),
  site_name: Type.String(),
});
const RunItemName = Type.Object({
  type: UpdateItem.properties.type,
  slug: UpdateItem.properties.slug,
  name: Type.String(),
});

const RolloutOfRun = Type.Object({
  rollout_id: Type.Integer(),
  name: Type.String(),
  ring: Type.String({ description: 'The name of the ring.' }),
});
export const RunSummary = Type.Object({
  success: Type.Boolean(),
  run_id: Type.Integer(),
  kind: stringEnum(RUN_KINDS),
  request: Type.Object({
    action: Type.Optional(Type.String()),
    plugin: Type.Optional(Type.String()),
    items: Type.Optional(Type.Array(UpdateItem, { description: 'The first 20.' })),
    items_total: Type.Optional(Type.Integer()),
  }),
  site: Type.Unsafe<Type.Static<typeof RunSite> | null>({
    ...RunSite,
    type: ['object', 'null'],
    description:
      'The site of a run on one site. Null: several sites, or the user may not see the site.',
  }),
  item_names: Type.Array(RunItemName, {
    description:
      'The names of the requested items or of the plugin. Items that are on no site of the user may be missing.',
  }),
  status: stringEnum(RUN_STATUSES),
  only_your_sites: Type.Optional(
    Type.Boolean({
      description:
        'True: another user started the run: it is shown with the sites that you may see, as if it had no others. You cannot cancel or retry it.',
    }),
  ),
  total: Type.Integer(),
  counts: Type.Object(
    Object.fromEntries(TASK_STATUSES.map((status) => [status, Type.Optional(Type.Integer())])),
  ),
  verifying: Type.Optional(
    Type.Integer({
      description:
        'The number of `unknown` sites that the panel still reconciles. Absent if there are none.',
    }),
  ),
  created_by: nullable.integer(),
  token_name: Type.Optional(
    Type.String({ description: 'The name of the access token that created the run for its user.' }),
  ),
  schedule: Type.Optional(
    Type.Object(
      { schedule_id: Type.Integer(), name: Type.String() },
      { description: 'The schedule that started the run, if it still exists.' },
    ),
  ),
  retry_of: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The id of the run that this run retries. Null: this run is not a retry.',
  }),
  is_retried: Type.Boolean({
    description: 'True: other runs have retried all unsuccessful sites of this run.',
  }),
  retried_by: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description:
      'The id of the last run that retried sites of this run. Null: not retried, or the user may not see that run.',
  }),
  rollout: Type.Unsafe<Type.Static<typeof RolloutOfRun> | null>({
    ...RolloutOfRun,
    type: ['object', 'null'],
    description:
      'The rollout of this run, and the ring that the run updates. Null: it belongs to no rollout.',
  }),
  created_at: timestamp(),
  cancelled_at: nullable.timestamp(),
  finished_at: nullable.timestamp(),
});
export const RunSummaryResponse = RunSummary;
export const RunDetailsResponse = Type.Object({
  ...RunSummary.properties,
  results: Type.Array(RunTask),
});
export const RunTaskResponse = Type.Object({ success: trueOnly(), task: RunTask });
export const RunsResponse = Type.Object({ success: trueOnly(), runs: Type.Array(RunSummary) });
/** The data of the event `runs`: all running runs, and the id of the newest run, also if it has finished. */
export const RunsEvent = Type.Object({
  runs: Type.Array(RunSummary),
  newest_run_id: nullable.integer(),
});

const wholeNumberText = (description: string) =>
  Type.Optional(Type.String({ pattern: POSITION_PATTERN, description }));
export const RunsQuery = Type.Object({
  before: wholeNumberText('A run id. Only older runs are returned.'),
  limit: Type.Optional(Type.String({ pattern: RUNS_LIMIT_PATTERN })),
  status: Type.Optional(stringEnum(RUN_STATUSES)),
});
export const RunTasksQuery = Type.Object({
  after: wholeNumberText('A cursor: the position of the last task read. Positions start at 0.'),
  limit: Type.Optional(Type.String({ pattern: TASKS_LIMIT_PATTERN })),
  status: Type.Optional(stringEnum(TASK_STATUSES)),
});

export const RemotePluginActionRequest = Type.Object({
  site_id: entityId(),
  ...PluginActionRequest.properties,
});
export type RemotePluginActionRequest = Type.Static<typeof RemotePluginActionRequest>;

/** One action on one plugin of many sites. */
export const PluginActionOnSitesRequest = Type.Object({
  ...SiteIdsRequest.properties,
  ...PluginActionRequest.properties,
});

export const RemotePluginActionResponse = Type.Object({
  success: trueOnly(),
  site_id: Type.Integer(),
  action: PluginActionRequest.properties.action,
  plugin: Type.String(),
  verified: Type.Optional(
    Type.Boolean({
      description:
        'False: the action was done, but not all pages of the site could be checked, or some differ.',
    }),
  ),
  warnings: Type.Optional(Type.Array(Type.String())),
  ...pageCounts(),
});

export const RemotePluginActionError = Type.Object({
  ...ErrorBody.properties,
  run_id: Type.Optional(Type.Integer({ description: 'The id of the run, if one was started.' })),
});
