import Type from 'typebox';

/** The part of a site report that predicts whether updates would fail. Sent with the capability `preflight`. */

/** Whether the site allows changes of its files. */
export const FILE_CHANGES = ['ok', 'disabled', 'not_writable'] as const;
export type FileChanges = (typeof FILE_CHANGES)[number];

/** The types of items whose folders a site reports. */
export const PREFLIGHT_ITEM_TYPES = ['plugin', 'theme', 'core'] as const;
export type PreflightItemType = (typeof PREFLIGHT_ITEM_TYPES)[number];

export const TIME_ZONE_MAX_LENGTH = 64;
export const REQUIRED_PLUGINS_MAX = 50;

/**
 * Plain strings, not enums: the panel must accept the report of a newer plugin even if it does not know one of the words.
 */
export const PreflightReport = Type.Object({
  remote_enabled: Type.Optional(Type.Boolean()),
  file_changes: Type.Optional(Type.String({ maxLength: 32, description: FILE_CHANGES.join(', ') })),
  not_writable: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.String({ maxLength: 32 }),
        folder: Type.String({ maxLength: 500 }),
        active_only: Type.Optional(Type.Boolean()),
      }),
      {
        maxItems: 10,
        description: 'For each type of item: the first folder that the site cannot write to.',
      },
    ),
  ),
  free_bytes: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The free disk space. Null: unknown.',
    }),
  ),
  locked: Type.Optional(Type.Boolean({ description: 'Another update or action is running.' })),
});
export type PreflightReport = Type.Static<typeof PreflightReport>;

/** What a pending update needs, as far as the site knows it. */
export const requirements = {
  requires_php: Type.Optional(Type.String({ maxLength: 64 })),
  requires: Type.Optional(
    Type.String({ maxLength: 64, description: 'The lowest version of the CMS.' }),
  ),
  requires_plugins: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: REQUIRED_PLUGINS_MAX,
      description: 'The slugs of the plugins that must be active.',
    }),
  ),
  package_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
};

export const timeZone = () =>
  Type.Optional(
    Type.String({
      maxLength: TIME_ZONE_MAX_LENGTH,
      description: 'A name of the IANA database, or an offset such as +02:00.',
    }),
  );
