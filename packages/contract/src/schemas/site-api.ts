import Type from 'typebox';
import { UPDATE_ITEMS_MAX } from '../limits.ts';
import { ITEM_PREFLIGHT_CODES } from '../preflight-reasons.ts';
import { ErrorBody, nullable, requiredText, stringEnum, trueOnly } from './common.ts';
import { checkedPages, checkPages } from './page-checks-api.ts';

/** The site API: calls of the panel to a site. The panel sends the key in this header only. */
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

const verified = () =>
  Type.Optional(
    Type.Boolean({
      description:
        'False: the change was made, but not all pages of the site could be checked, or some differ.',
    }),
  );
const oldVersion = () =>
  Type.Optional(Type.String({ description: 'The installed version before the update.' }));
const awaitingVerdict = () =>
  Type.Optional(
    Type.Object(
      { call: requiredText(64), ticket: Type.String({ maxLength: 200 }) },
      {
        description:
          '`call`: the id of the call. The site cannot open its own pages, so it keeps the old versions until the panel sends a verdict. For the health check, it accepts a GET with the ticket in `steward_check`.',
      },
    ),
  );
const newPlugin = () =>
  Type.Optional(
    Type.String({ description: 'The plugin file on the site, if it is not the requested slug.' }),
  );

/** The body of `remote/plugin-action`. Clients of the panel send `PluginActionRequest`. */
export const SitePluginActionRequest = Type.Object({
  ...PluginActionRequest.properties,
  check_pages: checkPages(),
});

/** The body of `remote/self-update`. */
export const SelfUpdateRequest = Type.Object({ check_pages: checkPages() });

export const PluginActionResponse = Type.Object({
  success: trueOnly(),
  action: stringEnum(PLUGIN_ACTIONS),
  plugin: Type.String(),
  verified: verified(),
  warnings: Type.Optional(
    Type.Array(Type.String({ maxLength: 2000 }), {
      maxItems: 20,
      description: 'Sentences for users.',
    }),
  ),
  new_plugin: newPlugin(),
  checked: checkedPages(),
  awaiting_verdict: awaitingVerdict(),
});

export const UPDATE_ITEM_TYPES = ['plugin', 'theme', 'core', 'translation'] as const;
export type UpdateItemType = (typeof UPDATE_ITEM_TYPES)[number];

/** A plugin's slug is its `directory/file.php`; a theme's is its folder. */
export const UpdateItem = Type.Object({
  type: stringEnum(UPDATE_ITEM_TYPES),
  slug: requiredText(500),
  version: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'The version that the user saw. The item fails with `offer_changed` if the site offers another one.',
    }),
  ),
});
export type UpdateItem = Type.Static<typeof UpdateItem>;

/** Without `items`, the site installs every pending update. `items` needs the capability `update.items`. */
export const BulkUpdateRequest = Type.Object({
  items: Type.Optional(Type.Array(UpdateItem, { minItems: 1, maxItems: UPDATE_ITEMS_MAX })),
  check_pages: checkPages(),
});
export type BulkUpdateRequest = Type.Static<typeof BulkUpdateRequest>;

/** Why a site left an item unchanged. Such a failure says nothing about the new version. */
export const ITEM_REFUSALS = [
  'offer_changed',
  'item_not_found',
  'management_plugin',
  'already_installed',
  'package_rejected',
  'saved_version_missing',
  'download_failed',
  'linked_folder',
  'not_started',
  ...ITEM_PREFLIGHT_CODES,
] as const;
export type ItemRefusal = (typeof ITEM_REFUSALS)[number];

export const ItemUpdateResult = Type.Object({
  slug: Type.String(),
  new_version: Type.String({ description: 'Read back from disk after the attempt.' }),
  success: Type.Boolean(),
  error: Type.Optional(Type.String()),
  code: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `Why the item was refused: ${ITEM_REFUSALS.join(', ')}.`,
    }),
  ),
  verified: verified(),
  name: Type.Optional(Type.String({ maxLength: 2000, description: 'The name for users.' })),
  old_version: oldVersion(),
  new_plugin: newPlugin(),
  rolled_back: Type.Optional(
    Type.Boolean({
      description:
        'Only for a failed item. True: the new version was installed, then the old one restored.',
    }),
  ),
});
export type ItemUpdateResult = Type.Static<typeof ItemUpdateResult>;

export const CoreUpdateResult = Type.Object({
  new_version: Type.String(),
  success: Type.Boolean(),
  code: ItemUpdateResult.properties.code,
  verified: verified(),
  old_version: oldVersion(),
});
export type CoreUpdateResult = Type.Static<typeof CoreUpdateResult>;

export const BulkUpdateError = Type.Object({
  type: stringEnum(['plugin', 'theme', 'core', 'translation', 'system']),
  slug: nullable.string(),
  error: Type.String(),
});

export const BulkUpdateResponse = Type.Object({
  success: Type.Boolean(),
  results: Type.Object({
    plugins: Type.Array(ItemUpdateResult),
    themes: Type.Array(ItemUpdateResult),
    core: Type.Unsafe<CoreUpdateResult | null>({ ...CoreUpdateResult, type: ['object', 'null'] }),
    translations: Type.Optional(Type.Array(ItemUpdateResult)),
  }),
  errors: Type.Array(BulkUpdateError),
  checked: checkedPages(),
  awaiting_verdict: awaitingVerdict(),
});
export type BulkUpdateResponse = Type.Static<typeof BulkUpdateResponse>;

export const SyncResponse = Type.Object({ success: trueOnly() });

export const VERDICTS = ['healthy', 'broken', 'unknown'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const VerdictRequest = Type.Object({
  call: Type.Optional(requiredText(64)),
  plugin_version: Type.Optional(requiredText(64)),
  verdict: stringEnum(VERDICTS),
});
/** `call`: the call that waits for the verdict. `plugin_version`: a version of the Steward plugin that WordPress installed. */
export type VerdictMessage = ({ call: string } | { plugin_version: string }) & { verdict: Verdict };
export const VerdictResponse = Type.Object({
  success: trueOnly(),
  restored: Type.Boolean({ description: 'True: the old versions were restored.' }),
});

/** Every call has a new challenge. The proof is the HMAC of `proofText`. */
export const ProofRequest = Type.Object({
  challenge: Type.String({ pattern: '^[0-9a-f]{32,128}$' }),
});
export const ProofResponse = Type.Object({
  success: trueOnly(),
  proof: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});

/** `action_failed` includes the action and the plugin; `site_address_changed` the present address of the site. */
export const SiteErrorBody = Type.Object({
  ...ErrorBody.properties,
  action: Type.Optional(Type.String()),
  plugin: Type.Optional(Type.String()),
  site_url: Type.Optional(Type.String()),
});
export type SiteErrorBody = Type.Static<typeof SiteErrorBody>;
