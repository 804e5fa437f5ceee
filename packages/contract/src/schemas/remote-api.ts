import Type from 'typebox';
import { BulkUpdateResponse, PluginActionRequest } from './site-api.ts';
import { nullable, stringEnum, trueOnly } from './vocabulary.ts';

/** Group B: what a logged-in person asks of the panel. */

export const SITE_IDS_MAX = 10_000;
export const CSRF_HEADER = 'X-CSRF-TOKEN';

const siteId = () => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const RemoteUpdateRequest = Type.Object({
  site_ids: Type.Array(siteId(), { minItems: 1, maxItems: SITE_IDS_MAX }),
});
export type RemoteUpdateRequest = Type.Static<typeof RemoteUpdateRequest>;

export const RUN_STATUSES = ['running', 'finished'] as const;
export const TASK_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'partial',
  'failed',
  'unknown',
  'refused',
  'cancelled',
] as const;

const itemCounts = () => Type.Object({ updated: Type.Integer(), failed: Type.Integer() });

export const RemoteUpdateResult = Type.Object({
  site_id: Type.Integer(),
  site_url: nullable.string(),
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

export const RemotePluginActionRequest = Type.Object({
  site_id: siteId(),
  ...PluginActionRequest.properties,
});
export type RemotePluginActionRequest = Type.Static<typeof RemotePluginActionRequest>;

export const RemotePluginActionResponse = Type.Object({
  success: trueOnly(),
  site_id: Type.Integer(),
  action: PluginActionRequest.properties.action,
  plugin: Type.String(),
});
