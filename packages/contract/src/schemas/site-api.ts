import Type from 'typebox';
import { ErrorBody, nullable, stringEnum, trueOnly } from './vocabulary.ts';

/** Group A: what the panel asks of a site. The key travels in this header and nowhere else. */
export const SERVICE_KEY_HEADER = 'X-Service-Key';
export const SITE_API_PREFIX = 'cms-json/service/v1';

export const PLUGIN_ACTIONS = ['update', 'activate', 'deactivate', 'delete'] as const;
export type PluginAction = (typeof PLUGIN_ACTIONS)[number];

/** `directory/file.php` or `file.php`; no `..`, no backslash, no control character, nothing absolute. */
export const PLUGIN_FILE_PATTERN =
  '^(?!.*\\.\\.)(?!\\.)[^/\\\\\\x00-\\x1f\\x7f]+(/(?!\\.)[^/\\\\\\x00-\\x1f\\x7f]+)?\\.php$';

export const PluginActionRequest = Type.Object({
  action: stringEnum(PLUGIN_ACTIONS),
  plugin: Type.String({ minLength: 1, maxLength: 500, pattern: PLUGIN_FILE_PATTERN }),
});
export type PluginActionRequest = Type.Static<typeof PluginActionRequest>;

export const PluginActionResponse = Type.Object({
  success: trueOnly(),
  action: stringEnum(PLUGIN_ACTIONS),
  plugin: Type.String(),
});

/** A plugin's slug is its `directory/file.php`; a theme's is its folder. */
export const ItemUpdateResult = Type.Object({
  slug: Type.String(),
  new_version: Type.String({ description: 'Read back from disk after the attempt.' }),
  success: Type.Boolean(),
  error: Type.Optional(Type.String()),
});
export type ItemUpdateResult = Type.Static<typeof ItemUpdateResult>;

export const CoreUpdateResult = Type.Object({
  new_version: Type.String(),
  success: Type.Boolean(),
});
export type CoreUpdateResult = Type.Static<typeof CoreUpdateResult>;

export const BulkUpdateError = Type.Object({
  type: stringEnum(['plugin', 'theme', 'core', 'system']),
  slug: nullable.string(),
  error: Type.String(),
});

export const BulkUpdateResponse = Type.Object({
  success: Type.Boolean(),
  results: Type.Object({
    plugins: Type.Array(ItemUpdateResult),
    themes: Type.Array(ItemUpdateResult),
    core: Type.Unsafe<CoreUpdateResult | null>({ ...CoreUpdateResult, type: ['object', 'null'] }),
  }),
  errors: Type.Array(BulkUpdateError),
});
export type BulkUpdateResponse = Type.Static<typeof BulkUpdateResponse>;

export const SyncResponse = Type.Object({ success: trueOnly() });

/** `action_failed` also says what was tried. */
export const SiteErrorBody = Type.Object({
  ...ErrorBody.properties,
  action: Type.Optional(Type.String()),
  plugin: Type.Optional(Type.String()),
});
export type SiteErrorBody = Type.Static<typeof SiteErrorBody>;
