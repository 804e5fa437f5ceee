import Type from 'typebox';
import {
  QUARANTINE_REASON_MAX_LENGTH,
  RULE_BACKUP_HOURS_MAX,
  RULE_NOTE_MAX_LENGTH,
  RULE_WAIT_DAYS_MAX,
  TAG_MAX_LENGTH,
} from '../limits.ts';
import { nullable, stringEnum, timestamp, trueOnly, versionInput } from './common.ts';
import { SOFTWARE_TYPES, type SoftwareType } from './panel-sites-api.ts';

/** Rules that hold updates back, and quarantined versions. */

export const RULE_SCOPES = ['fleet', 'tag', 'site'] as const;
export type RuleScope = (typeof RULE_SCOPES)[number];

/**
 * `level`: how far an item may be updated. `wait`: days after a version first appeared. `ignore`: skip one version.
 * `backup`: update only with a recent backup. `restore`: whether Steward restores the saved version after an update with
 * trouble; it holds nothing back.
 */
export const RULE_ASPECTS = ['level', 'wait', 'ignore', 'backup', 'restore'] as const;
export type RuleAspect = (typeof RULE_ASPECTS)[number];

/** The strictest level first. `findHold` relies on this order. */
export const RULE_LEVELS = ['never', 'pin', 'patch', 'minor', 'all'] as const;
export type RuleLevel = (typeof RULE_LEVELS)[number];

const note = () => Type.String({ maxLength: RULE_NOTE_MAX_LENGTH, pattern: '^[^\\u0000]*$' });
const reason = () =>
  Type.String({
    minLength: 1,
    maxLength: QUARANTINE_REASON_MAX_LENGTH,
    pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$',
  });
const days = () => Type.Integer({ minimum: 0, maximum: RULE_WAIT_DAYS_MAX });
const hours = () => Type.Integer({ minimum: 0, maximum: RULE_BACKUP_HOURS_MAX });
const slug = () => Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000]+$' });
const entityId = () => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/**
 * What a rule does: `level` (and `version` for a pin), the `days` to wait, the `version` to ignore, the `hours` within which a
 * backup must have started, or whether restoring is `enabled`.
 */
const ruleValues = {
  level: Type.Optional(stringEnum(RULE_LEVELS)),
  version: Type.Optional(versionInput()),
  days: Type.Optional(days()),
  hours: Type.Optional({
    ...hours(),
    description:
      'Only for the aspect `backup`. 0: no backup is needed here, even if a rule for more sites needs one.',
  }),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'Only for the aspect `restore`. False: an exception from a wider rule.',
    }),
  ),
};

/** The sites and items of a rule. Without `tag` and `site_id` all sites; without `item_type` all items. */
const ruleTarget = {
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: TAG_MAX_LENGTH })),
  site_id: Type.Optional(entityId()),
  item_type: Type.Optional(stringEnum(SOFTWARE_TYPES)),
  slug: Type.Optional(slug()),
};

export const RuleTargetRequest = Type.Object(ruleTarget);
export type RuleTargetRequest = Type.Static<typeof RuleTargetRequest>;

export const CreateRuleRequest = Type.Object({
  ...ruleTarget,
  aspect: stringEnum(RULE_ASPECTS),
  ...ruleValues,
  note: Type.Optional(note()),
});
export type CreateRuleRequest = Type.Static<typeof CreateRuleRequest>;

export const ChangeRuleRequest = Type.Object({
  ...ruleValues,
  note: Type.Optional(note()),
  revision: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The revision that the user saw. Any other returns 409 `rule_changed`.',
  }),
});
export type ChangeRuleRequest = Type.Static<typeof ChangeRuleRequest>;

const NullableType = Type.Unsafe<SoftwareType | null>({
  type: ['string', 'null'],
  enum: [...SOFTWARE_TYPES, null],
});
const NullableLevel = Type.Unsafe<RuleLevel | null>({
  type: ['string', 'null'],
  enum: [...RULE_LEVELS, null],
});

export const UpdateRule = Type.Object({
  id: Type.Integer(),
  scope: stringEnum(RULE_SCOPES),
  tag: nullable.string(),
  site_id: nullable.integer(),
  site_name: nullable.string(),
  item_type: NullableType,
  slug: nullable.string(),
  item_name: nullable.string(),
  aspect: stringEnum(RULE_ASPECTS),
  level: NullableLevel,
  version: nullable.string(),
  days: nullable.integer(),
  hours: nullable.integer(),
  enabled: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
  note: Type.String(),
  sites: Type.Integer({ description: 'The number of sites with an item that the rule concerns.' }),
  created_by: nullable.string(),
  created_at: timestamp(),
  revision: Type.Integer(),
});
export type UpdateRule = Type.Static<typeof UpdateRule>;

export const RulesResponse = Type.Object({ success: trueOnly(), rules: Type.Array(UpdateRule) });
export const RuleResponse = Type.Object({ success: trueOnly(), rule: UpdateRule });
export const RulePreviewResponse = Type.Object({ success: trueOnly(), sites: Type.Integer() });

export const QuarantinedVersion = Type.Object({
  id: Type.Integer(),
  item_type: stringEnum(SOFTWARE_TYPES),
  slug: Type.String(),
  name: Type.String(),
  version: Type.String(),
  reason: Type.String(),
  created_by: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The name of the user. Null: Steward itself.',
  }),
  created_at: timestamp(),
  lifted_at: nullable.timestamp(),
  lifted_by: nullable.string(),
  lift_reason: nullable.string(),
});
export type QuarantinedVersion = Type.Static<typeof QuarantinedVersion>;

export const QuarantineRequest = Type.Object({
  item_type: stringEnum(SOFTWARE_TYPES),
  slug: slug(),
  version: versionInput(),
  reason: reason(),
});
export type QuarantineRequest = Type.Static<typeof QuarantineRequest>;
export const LiftQuarantineRequest = Type.Object({ reason: reason() });

export const QuarantineListResponse = Type.Object({
  success: trueOnly(),
  quarantined_versions: Type.Array(QuarantinedVersion, {
    description: 'The open ones first, then the last hundred lifted ones, newest first.',
  }),
});
export const QuarantineResponse = Type.Object({
  success: trueOnly(),
  quarantined_version: QuarantinedVersion,
});
