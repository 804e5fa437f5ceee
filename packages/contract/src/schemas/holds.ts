import Type from 'typebox';
import { stringEnum } from './common.ts';

/** What rules and quarantine hold back. */

export const HOLD_REASONS = [
  'quarantined',
  'never',
  'pinned',
  'level',
  'ignored',
  'waiting',
  'no_backup',
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** Why Steward does not install a version on a site. */
export const Hold = Type.Object({
  reason: stringEnum(HOLD_REASONS),
  rule_id: Type.Optional(Type.Integer()),
  quarantine_id: Type.Optional(Type.Integer()),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'The end of a wait.' })),
});
export type Hold = Type.Static<typeof Hold>;

/** A hold with a sentence that names the rule or the quarantine. */
export const ExplainedHold = Type.Object({
  ...Hold.properties,
  rule: Type.Optional(
    Type.String({
      description: 'What the rule applies to, such as "all plugins on sites with the tag shop".',
    }),
  ),
  explanation: Type.String(),
});
export type ExplainedHold = Type.Static<typeof ExplainedHold>;

export const HeldItem = Type.Object({
  type: stringEnum(['plugin', 'theme', 'core']),
  slug: Type.String(),
  name: Type.String(),
  version: Type.String(),
  hold: ExplainedHold,
});
export type HeldItem = Type.Static<typeof HeldItem>;

/** The lists of software show at most this many held versions of an item. */
export const SOFTWARE_HOLDS_MAX = 5;
export const SoftwareHold = Type.Object({ version: Type.String(), hold: ExplainedHold });
export type SoftwareHold = Type.Static<typeof SoftwareHold>;

/** A run has up to ten thousand tasks, so each names only its first held items. */
export const HELD_ITEMS_SHOWN_MAX = 5;
export const HeldItems = Type.Object({
  count: Type.Integer(),
  items: Type.Array(HeldItem, { description: `The first ${HELD_ITEMS_SHOWN_MAX}.` }),
});
export type HeldItems = Type.Static<typeof HeldItems>;
