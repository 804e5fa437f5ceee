import Type from 'typebox';
import { SITE_IDS_MAX, TAGS_PER_SITE_MAX } from '../limits.ts';
import { trueOnly } from './common.ts';

/** The API for the tags of sites. */

const tagList = (maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems });

export const SetTagsRequest = Type.Object({ tags: tagList(TAGS_PER_SITE_MAX) });
export type SetTagsRequest = Type.Static<typeof SetTagsRequest>;
export const SiteTagsResponse = Type.Object({
  success: trueOnly(),
  tags: Type.Array(Type.String()),
});

export const ChangeTagsRequest = Type.Object({
  site_ids: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: SITE_IDS_MAX,
  }),
  add: Type.Optional(tagList(TAGS_PER_SITE_MAX)),
  remove: Type.Optional(tagList(TAGS_PER_SITE_MAX)),
});
export type ChangeTagsRequest = Type.Static<typeof ChangeTagsRequest>;

export const ChangeTagsResponse = Type.Object({
  success: Type.Boolean({ description: 'False: at least one site was refused.' }),
  changed: Type.Integer({ description: 'The number of sites whose tags changed.' }),
  refused: Type.Array(
    Type.Object({ site_id: Type.Integer(), code: Type.String(), error: Type.String() }),
  ),
});
export type ChangeTagsResponse = Type.Static<typeof ChangeTagsResponse>;

export const TagsResponse = Type.Object({
  success: trueOnly(),
  tags: Type.Array(Type.Object({ name: Type.String(), sites: Type.Integer() })),
});
