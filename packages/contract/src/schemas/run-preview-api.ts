import Type from 'typebox';
import { CALL_OBSTACLES } from '../site-status.ts';
import { stringEnum, trueOnly } from './common.ts';
import { PREVIEW_SITES_MAX } from './panel-sites-api.ts';
import { SiteIdsRequest } from './remote-api.ts';
import { RestoreItem } from './site-packages-api.ts';

/** Previews of three kinds of runs: install a package, restore saved versions, update the Steward plugin. */

/** Why a run skips a site: an obstacle, a code of `SITE_FAILURES`, or a Steward plugin that is up to date. */
export const SKIP_REASONS = [
  ...CALL_OBSTACLES,
  'site_plugin_outdated',
  'signed_calls_required',
  'already_installed',
  'saved_version_missing',
  'held_version',
  'up_to_date',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

const NamedSite = Type.Object({ id: Type.Integer(), name: Type.String() });

const preview = {
  site_ids: Type.Array(Type.Integer(), { description: 'The sites that the run will call.' }),
  sites: Type.Array(NamedSite, { description: `The first ${PREVIEW_SITES_MAX} of them.` }),
  skipped: Type.Object({
    count: Type.Integer(),
    sites: Type.Array(Type.Object({ ...NamedSite.properties, reason: stringEnum(SKIP_REASONS) }), {
      description: `The first ${PREVIEW_SITES_MAX}.`,
    }),
  }),
  not_found: Type.Integer(),
};

export const RunPreview = Type.Object(preview);
export type RunPreview = Type.Static<typeof RunPreview>;
export const RunPreviewResponse = Type.Object({ success: trueOnly(), preview: RunPreview });

export const RestorePreviewRequest = Type.Object({
  ...SiteIdsRequest.properties,
  type: RestoreItem.properties.type,
  slug: RestoreItem.properties.slug,
});

/** A saved version, and the sites that have it. A site with two saved versions is in two entries. */
export const SavedVersion = Type.Object({
  version: Type.String(),
  current_versions: Type.Array(Type.String(), {
    description: 'The versions that are now installed on these sites.',
  }),
  site_ids: Type.Array(Type.Integer()),
});
export type SavedVersion = Type.Static<typeof SavedVersion>;

export const RestorePreview = Type.Object({
  ...preview,
  versions: Type.Array(SavedVersion, { description: 'The newest first.' }),
});
export type RestorePreview = Type.Static<typeof RestorePreview>;
export const RestorePreviewResponse = Type.Object({ success: trueOnly(), preview: RestorePreview });
