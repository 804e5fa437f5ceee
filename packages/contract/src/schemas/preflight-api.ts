import Type from 'typebox';
import { BACKUP_RECENT_HOURS } from '../backups.ts';
import {
  PREFLIGHT_REASONS,
  type PreflightReason,
  UNCHECKED_REASONS,
} from '../preflight-reasons.ts';
import { nullable, stringEnum, trueOnly } from './common.ts';
import { VersionWarning } from './item-errors-api.ts';
import { PREVIEW_SITES_MAX } from './panel-sites-api.ts';
import { RemoteUpdateRequest } from './remote-api.ts';

/** The preflight: which sites would fail in an update, predicted from their last reports. */

export const PreflightRequest = Type.Object(RemoteUpdateRequest.properties);
export type PreflightRequest = Type.Static<typeof PreflightRequest>;

export const PreflightItem = Type.Object({
  type: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  version: Type.String({ description: 'The version that would not be installed.' }),
});
export type PreflightItem = Type.Static<typeof PreflightItem>;

const REASONS = Object.keys(PREFLIGHT_REASONS) as PreflightReason[];

export const PreflightGroup = Type.Object({
  reason: stringEnum(REASONS),
  message: Type.String(),
  is_certain: Type.Boolean({
    description: 'False: the site may have changed since, or the panel can only estimate.',
  }),
  site_ids: Type.Array(Type.Integer(), {
    description: 'Sites on which no chosen update would be installed.',
  }),
  partial_site_ids: Type.Array(Type.Integer(), {
    description: 'Sites on which only some of the chosen updates would fail.',
  }),
  sites: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      error: Type.String(),
      items: Type.Array(PreflightItem, { description: 'Empty: the whole site is concerned.' }),
    }),
    { description: `The first ${PREVIEW_SITES_MAX} sites of both lists.` },
  ),
});
export type PreflightGroup = Type.Static<typeof PreflightGroup>;

export const Preflight = Type.Object({
  groups: Type.Array(PreflightGroup, { description: 'Certain failures first.' }),
  warnings: Type.Array(VersionWarning, {
    description: 'Chosen versions that fail on other sites of the user.',
  }),
  certain_site_ids: Type.Array(Type.Integer(), {
    description: 'Sites on which every chosen update would fail for certain.',
  }),
  unchecked: Type.Object(
    {
      count: Type.Integer(),
      sites: Type.Array(
        Type.Object({
          id: Type.Integer(),
          name: Type.String(),
          reason: stringEnum(UNCHECKED_REASONS),
          reported_at: nullable.timestamp(),
        }),
      ),
    },
    { description: 'Sites without a report from the last 24 hours.' },
  ),
  without_backup: Type.Object(
    {
      count: Type.Integer(),
      sites: Type.Array(
        Type.Object({
          id: Type.Integer(),
          name: Type.String(),
          backed_up_at: { ...nullable.timestamp(), description: 'Null: not known.' },
        }),
        { description: `The first ${PREVIEW_SITES_MAX}.` },
      ),
    },
    {
      description: `Sites without a known backup from the last ${BACKUP_RECENT_HOURS} hours. The update is not held, unless a rule says so.`,
    },
  ),
  checked: Type.Integer({ description: 'The number of sites that are not in `unchecked`.' }),
  not_found: Type.Integer(),
});
export type Preflight = Type.Static<typeof Preflight>;
export const PreflightResponse = Type.Object({ success: trueOnly(), preflight: Preflight });
