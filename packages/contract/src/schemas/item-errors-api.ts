import Type from 'typebox';
import {
  ITEM_ERROR_MESSAGE_MAX_LENGTH,
  ITEM_ERROR_PLACE_MAX_LENGTH,
  ITEM_ERROR_VIA_MAX,
  ITEM_ERRORS_MAX,
  VERSION_MAX_LENGTH,
} from '../limits.ts';
import { nullable, requiredText, stringEnum, timestamp } from './common.ts';

/** Fatal errors of plugins, themes and core on real requests, and the watch of a site after its update. */

export const ITEM_ERROR_TYPES = ['plugin', 'theme', 'core'] as const;
export type ItemErrorType = (typeof ITEM_ERROR_TYPES)[number];

/** The kind of the request that ended in an error. */
export const REQUEST_KINDS = [
  'front',
  'admin',
  'ajax',
  'rest',
  'cron',
  'login',
  'command_line',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

const itemSlug = () => requiredText(500);

/** Equal errors of one item on one site, as the site reports them. */
export const ItemErrorGroup = Type.Object({
  type: stringEnum(ITEM_ERROR_TYPES),
  slug: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'As in the inventory: the main file of a plugin, the folder of a theme, `core`.',
  }),
  version: Type.String({
    maxLength: VERSION_MAX_LENGTH,
    description: 'Empty if the item states no version.',
  }),
  message: Type.String({
    description: `Without values, addresses and paths of the site; the panel keeps ${ITEM_ERROR_MESSAGE_MAX_LENGTH} characters.`,
  }),
  place: Type.String({
    description: `File and line, relative to the item; at most ${ITEM_ERROR_PLACE_MAX_LENGTH} characters.`,
  }),
  request_kind: stringEnum(REQUEST_KINDS),
  via: Type.Optional(
    Type.Array(Type.Object({ type: stringEnum(ITEM_ERROR_TYPES), slug: itemSlug() }), {
      description: `Other items on the trace of the error; the panel keeps ${ITEM_ERROR_VIA_MAX}.`,
    }),
  ),
  is_confirmed: Type.Boolean({
    description:
      'True: a user who may activate plugins or the command line caused the error, or the site has reproduced it twice.',
  }),
  count: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  first_at: Type.String({ maxLength: 40 }),
  last_at: Type.String({ maxLength: 40 }),
});
export type ItemErrorGroup = Type.Static<typeof ItemErrorGroup>;

/**
 * Not validated in this schema: a group that the panel cannot read is dropped alone, and must not block the rest of the
 * report.
 */
export const itemErrorsInRequest = () =>
  Type.Optional(
    Type.Unsafe<unknown>({
      description: `The errors of plugins, themes and core on requests of the site: \`now\` (the time of the site), \`dropped\` (the number of groups that the site could not store) and \`groups\` (at most ${ITEM_ERRORS_MAX}), each with \`type\`, \`slug\`, \`version\`, \`message\`, \`place\`, \`request_kind\`, \`via\`, \`is_confirmed\`, \`count\`, \`first_at\` and \`last_at\`.`,
    }),
  );

export const ItemError = Type.Object({
  type: stringEnum(ITEM_ERROR_TYPES),
  slug: Type.String(),
  name: Type.String({ description: 'The name of the item, or its slug if it has none.' }),
  version: Type.String(),
  message: Type.String(),
  place: Type.String({ description: 'File and line, relative to the item.' }),
  request_kind: stringEnum(REQUEST_KINDS),
  is_confirmed: Type.Boolean({
    description: 'False: visitors caused the error, and the site has not reproduced it.',
  }),
  is_new: Type.Boolean({ description: 'True: the error did not exist before the last update.' }),
  count: Type.Integer(),
  first_at: timestamp(),
  last_at: timestamp(),
});
export type ItemError = Type.Static<typeof ItemError>;

/** `watching`: the watch has not ended. `reported`: errors without confirmation. `unknown`: the site cannot report. */
export const WATCH_STATES = ['watching', 'healthy', 'reported', 'troubled', 'unknown'] as const;
export type WatchState = (typeof WATCH_STATES)[number];

/** The error that decided a watch, or the first unconfirmed one so far. Its item can be another one than the updated. */
export const WatchError = Type.Object({
  type: stringEnum(ITEM_ERROR_TYPES),
  slug: Type.String(),
  version: Type.String(),
  message: Type.String(),
  place: Type.String(),
  request_kind: stringEnum(REQUEST_KINDS),
  is_confirmed: Type.Boolean(),
  at: timestamp(),
});
export type WatchError = Type.Static<typeof WatchError>;
const NullableWatchError = Type.Unsafe<WatchError | null>({
  ...WatchError,
  type: ['object', 'null'],
});

export const ItemWatch = Type.Object({
  type: stringEnum(ITEM_ERROR_TYPES),
  slug: Type.String(),
  from_version: nullable.string(),
  version: Type.String({ description: 'The version that the update installed.' }),
  state: stringEnum(WATCH_STATES),
  until: timestamp(),
  error: NullableWatchError,
  restore_run_id: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The run with which a rule restored the saved version.',
  }),
});
export type ItemWatch = Type.Static<typeof ItemWatch>;

/** What real requests say after the update of a site. */
export const Watch = Type.Object({
  state: Type.Unsafe<WatchState>({
    ...stringEnum(WATCH_STATES),
    description: 'The worst state of the items.',
  }),
  until: timestamp(),
  error: NullableWatchError,
  items: Type.Array(ItemWatch),
});
export type Watch = Type.Static<typeof Watch>;

export const COMMON_FACT_KINDS = ['php', 'wordpress', 'plugin'] as const;

/** What the failing sites of a version have in common, and no working site has. */
export const CommonFact = Type.Object({
  kind: stringEnum(COMMON_FACT_KINDS),
  value: Type.String({ description: 'A version such as 8.3, or the slug of an active plugin.' }),
  name: Type.String({ description: 'For users, such as "PHP 8.3" or the name of the plugin.' }),
});
export type CommonFact = Type.Static<typeof CommonFact>;

/** Only sites that the user may see. A site that had errors in a version still counts after it has left the version. */
export const VersionHealth = Type.Object({
  sites: Type.Integer(),
  sites_reporting: Type.Integer({ description: 'Sites that report errors, with or without any.' }),
  sites_with_errors: Type.Integer(),
  sites_failing: Type.Integer({
    description: 'Sites with a confirmed error that no other version had there before.',
  }),
  errors: Type.Integer({ description: 'In the last 30 days.' }),
  error_free_percent: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'Of the sites that report. Null: no site reports.',
  }),
  common_facts: Type.Array(CommonFact, {
    description: 'What all failing sites have in common, and no other reporting site has.',
  }),
  days: Type.Array(
    Type.Object({ day: Type.String(), sites: Type.Integer(), errors: Type.Integer() }),
    {
      description:
        'The errors of each of the last 30 days (UTC) with errors, and the sites that had them; the oldest first.',
    },
  ),
});
export type VersionHealth = Type.Static<typeof VersionHealth>;

/** A version that fails on some sites. */
export const VersionWarning = Type.Object({
  type: stringEnum(ITEM_ERROR_TYPES),
  slug: Type.String(),
  name: Type.String(),
  version: Type.String(),
  sites: Type.Integer(),
  sites_failing: Type.Integer(),
  common_facts: Type.Array(CommonFact),
  message: Type.String({
    description: 'Such as "4.0.2 fails on 3 of 12 sites, all with PHP 8.3."',
  }),
});
export type VersionWarning = Type.Static<typeof VersionWarning>;
