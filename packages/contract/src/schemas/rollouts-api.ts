import Type from 'typebox';
import {
  PROOF_REASON_MAX_LENGTH,
  ROLLOUT_RINGS_MAX,
  SITE_IDS_MAX,
  SOAK_MINUTES_MAX,
  UPDATE_ITEMS_MAX,
} from '../limits.ts';
import {
  ROLLOUT_HALT_CODES,
  ROLLOUT_SITE_STATES,
  ROLLOUT_STATUSES,
  type RolloutHaltCode,
  type RolloutSiteState,
} from '../rollout-states.ts';
import {
  ID_PATTERN,
  nullable,
  requiredText,
  stringEnum,
  timestamp,
  trueOnly,
  versionInput,
} from './common.ts';
import { SiteIdsRequest } from './remote-api.ts';

/** Rollouts: an update that spreads over the sites ring by ring, and halts when a new version causes trouble. */

export const Ring = Type.Object({
  name: requiredText(60),
  tag: Type.Optional(requiredText(50)),
  percent: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100 })),
});

export const RolloutSettings = Type.Object({
  soak_minutes: Type.Integer({
    minimum: 0,
    maximum: SOAK_MINUTES_MAX,
    description: 'The time without trouble after which the next ring starts.',
  }),
  first_ring_max_troubled: Type.Integer({
    minimum: 0,
    maximum: SITE_IDS_MAX,
    description: 'More troubled sites than this halt the rollout in the first ring.',
  }),
  later_max_troubled_percent: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'A higher share of troubled sites halts the rollout in a later ring.',
  }),
  proof_percent: Type.Number({
    minimum: 0,
    maximum: 100,
    description:
      'The share of the sites of a ring with an older version that must prove an item before the next ring gets it. At least one site in any case; 0: one site.',
  }),
});
export type RolloutSettings = Type.Static<typeof RolloutSettings>;

/** The version is required: a rollout spreads one version, and quarantines it when it causes trouble. */
export const RolloutItem = Type.Object({
  type: stringEnum(['plugin', 'theme', 'core']),
  slug: requiredText(500),
  version: versionInput(),
  name: Type.Optional(Type.String({ maxLength: 200 })),
});
export type RolloutItem = Type.Static<typeof RolloutItem>;

const rings = () => Type.Array(Ring, { minItems: 1, maxItems: ROLLOUT_RINGS_MAX });

export const CreateRolloutRequest = Type.Object({
  ...SiteIdsRequest.properties,
  name: Type.Optional(requiredText(100)),
  items: Type.Array(RolloutItem, { minItems: 1, maxItems: UPDATE_ITEMS_MAX }),
  rings: Type.Optional(rings()),
  settings: Type.Optional(Type.Partial(RolloutSettings)),
});
export type CreateRolloutRequest = Type.Static<typeof CreateRolloutRequest>;

export const RolloutPreviewRequest = Type.Object({
  ...SiteIdsRequest.properties,
  rings: Type.Optional(rings()),
});
export const RolloutPreviewResponse = Type.Object({
  success: trueOnly(),
  rings: Type.Array(Type.Object({ ...Ring.properties, sites: Type.Integer() })),
});
export type RolloutPreview = Type.Static<typeof RolloutPreviewResponse>['rings'];

export const ChooseCanariesRequest = Type.Object(SiteIdsRequest.properties);
export const ContinueWithoutProofRequest = Type.Object({
  reason: Type.String({
    minLength: 1,
    maxLength: PROOF_REASON_MAX_LENGTH,
    pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$',
    description: 'Recorded in the audit log and on the rollout.',
  }),
});

/** A user continued although no site of a ring proved these items. */
export const ProofException = Type.Object({
  ring: Type.Integer({ description: 'The position of the ring that did not prove the items.' }),
  items: Type.Array(RolloutItem),
  reason: Type.String(),
  by: nullable.string(),
  at: timestamp(),
});

const siteCounts = () =>
  Type.Object(
    Object.fromEntries(ROLLOUT_SITE_STATES.map((state) => [state, Type.Integer()])) as Record<
      RolloutSiteState,
      ReturnType<typeof Type.Integer>
    >,
  );

export const RolloutRing = Type.Object({
  position: Type.Integer(),
  name: Type.String(),
  sites: Type.Integer(),
  counts: siteCounts(),
  run_ids: Type.Array(Type.Integer()),
  started_at: nullable.timestamp(),
  soak_ends_at: nullable.timestamp(),
  finished_at: nullable.timestamp(),
});

export const RolloutSummary = Type.Object({
  rollout_id: Type.Integer(),
  name: Type.String(),
  status: stringEnum(ROLLOUT_STATUSES),
  items: Type.Array(RolloutItem),
  settings: RolloutSettings,
  ring: Type.Integer({ description: 'The position of the current ring.' }),
  rings: Type.Array(RolloutRing),
  halt_reason: nullable.string(),
  halt_code: Type.Unsafe<RolloutHaltCode | null>({
    type: ['string', 'null'],
    enum: [...ROLLOUT_HALT_CODES, null],
    description:
      '`waits_for_proof`: no site, or too few sites, of the current ring proved the items. Choose other canaries, continue without proof, or end the rollout. Null: not halted, or halted for another reason.',
  }),
  proof_exceptions: Type.Array(ProofException, {
    description: 'The decisions to continue without proof, oldest first.',
  }),
  split_from: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description:
      'The rollout that went on with its other items when no site proved the items of this one. Null: none.',
  }),
  split_into: Type.Array(Type.Integer(), {
    description: 'The rollouts of the items that stopped in this one.',
  }),
  held_versions: Type.Array(RolloutItem, {
    description: 'The items of this rollout whose version is quarantined.',
  }),
  created_at: timestamp(),
  created_by: nullable.string(),
  finished_at: nullable.timestamp(),
});
export type RolloutSummary = Type.Static<typeof RolloutSummary>;

export const RolloutSite = Type.Object({
  site_id: Type.Integer(),
  name: Type.String(),
  ring: Type.Integer(),
  state: stringEnum(ROLLOUT_SITE_STATES),
  run_id: nullable.integer(),
  task_id: nullable.integer(),
  error: nullable.string(),
  is_rolled_back: Type.Boolean({
    description: 'True: the update broke the site, and the previous version is back.',
  }),
  updated_slugs: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Only if the update of the site did not fully succeed: the slugs of the items that were updated; `core` for core.',
    }),
  ),
});
export type RolloutSite = Type.Static<typeof RolloutSite>;

export const RolloutResponse = Type.Object({
  success: trueOnly(),
  rollout: RolloutSummary,
  sites: Type.Array(RolloutSite),
});
export const RolloutsQuery = Type.Object({
  before: Type.Optional(Type.String({ pattern: ID_PATTERN })),
});
export const RolloutsResponse = Type.Object({
  success: trueOnly(),
  rollouts: Type.Array(RolloutSummary),
});
