import Type from 'typebox';
import { SITE_IDS_MAX } from '../limits.ts';
import { CALL_OBSTACLES } from '../site-status.ts';
import { stringEnum, trueOnly } from './common.ts';
import { ExplainedHold } from './holds.ts';
import { SOFTWARE_TYPES } from './panel-sites-api.ts';
import { SiteIdsRequest } from './remote-api.ts';
import { ScheduleItem, ScheduleSelection } from './schedules-api.ts';

/** What a button that starts an update would do: the run calls exactly `sites` sites. */

/** Why an update leaves out a site. */
export const LEFT_OUT_REASONS = [...CALL_OBSTACLES, 'held_version', 'items_unsupported'] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

export const UpdateSummaryRequest = Type.Object({
  site_ids: Type.Optional(SiteIdsRequest.properties.site_ids),
  selection: Type.Optional({
    ...ScheduleSelection,
    description: `The sites that match these filters, at most ${SITE_IDS_MAX}. Send either this or site_ids.`,
  }),
  types: Type.Optional(
    Type.Array(stringEnum(SOFTWARE_TYPES), { description: 'Only updates of these types.' }),
  ),
  items: Type.Optional(
    Type.Array(ScheduleItem, { maxItems: 200, description: 'Only updates of these items.' }),
  ),
});
export type UpdateSummaryRequest = Type.Static<typeof UpdateSummaryRequest>;

export const LeftOutSites = Type.Object({
  reason: stringEnum(LEFT_OUT_REASONS),
  sites: Type.Integer(),
  hold: Type.Optional(ExplainedHold),
});
export type LeftOutSites = Type.Static<typeof LeftOutSites>;

/** `sites`, `up_to_date`, `not_found` and the sites of `left_out` add up to the chosen sites. */
export const UpdateSummary = Type.Object({
  sites: Type.Integer({ description: 'The sites that the run calls.' }),
  updates: Type.Integer({ description: 'The updates that it installs there.' }),
  held_updates: Type.Integer({
    description: 'The updates that a rule or a quarantine holds back, on all chosen sites.',
  }),
  left_out: Type.Array(LeftOutSites, {
    description:
      'The sites with a chosen update or with an obstacle that the run does not call, by reason. The most sites first.',
  }),
  up_to_date: Type.Integer({ description: 'The sites without a chosen update.' }),
  not_found: Type.Integer(),
  is_complete: Type.Boolean({
    description: `False: more than ${SITE_IDS_MAX} sites match. The counts are those of the first ${SITE_IDS_MAX}.`,
  }),
});
export type UpdateSummary = Type.Static<typeof UpdateSummary>;
export const UpdateSummaryResponse = Type.Object({ success: trueOnly(), summary: UpdateSummary });
