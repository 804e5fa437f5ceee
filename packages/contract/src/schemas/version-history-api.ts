import Type from 'typebox';
import { nullable, stringEnum, timestamp, trueOnly } from './common.ts';
import { pageQuery, SOFTWARE_TYPES } from './panel-sites-api.ts';

/** The versions of one site over time, from its reports. */

export const VersionsAtQuery = Type.Object({
  at: Type.Optional(
    Type.String({ maxLength: 40, description: 'A date or a time in ISO 8601. Default: now.' }),
  ),
});

const item = {
  type: stringEnum(SOFTWARE_TYPES),
  slug: Type.String(),
  name: Type.String(),
};

export const VersionAtTime = Type.Object({
  ...item,
  version: Type.String(),
  since: timestamp(),
});
export type VersionAtTime = Type.Static<typeof VersionAtTime>;

export const VersionsAtResponse = Type.Object({
  success: trueOnly(),
  at: timestamp(),
  software: Type.Array(VersionAtTime),
});

export const VersionChangesQuery = Type.Object(pageQuery);

export const VersionChangeItem = Type.Object({
  at: timestamp(),
  ...item,
  old_version: nullable.string(),
  new_version: nullable.string(),
});
export type VersionChangeItem = Type.Static<typeof VersionChangeItem>;

export const VersionChangesResponse = Type.Object({
  success: trueOnly(),
  changes: Type.Array(VersionChangeItem, {
    description:
      'The newest first. `old_version` is null if the item was added, `new_version` if it was removed.',
  }),
  next_cursor: nullable.string(),
});
