import {
  DEFAULT_RINGS,
  DEFAULT_ROLLOUT_SETTINGS,
  type RingPlan,
  type RolloutSettings,
  SITE_IDS_MAX,
  SOAK_MINUTES_MAX,
} from '@steward/contract';
import { type PercentField, toProofPercent } from '../../../lib/proof-percent.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';

/** A number field holds a text while it is empty or incomplete. */
export type NumberValue = number | string;
export type RingField = { id: number; tag: string } | { id: number; percent: NumberValue };

/** The units of the soak time, in minutes. */
export const SOAK_UNITS = { minutes: 1, hours: 60, days: 24 * 60 } as const;
export type SoakUnit = keyof typeof SOAK_UNITS;

/** The values of the form. The last ring, "All other sites", is fixed and not part of `rings`. */
export type RolloutPlan = {
  rings: RingField[];
  /** The soak time in `soakUnit`. */
  soak: NumberValue;
  soakUnit: SoakUnit;
  /** A number of sites. */
  firstRingMaxTroubled: NumberValue;
  laterMaxTroubledPercent: NumberValue;
  /** Empty: one site. */
  proofPercent: PercentField;
};

export const DEFAULT_PLAN: RolloutPlan = {
  rings: DEFAULT_RINGS.slice(0, -1).map(({ tag, percent }, id) =>
    tag === undefined ? { id, percent: percent ?? 0 } : { id, tag },
  ),
  soak: DEFAULT_ROLLOUT_SETTINGS.soak_minutes / SOAK_UNITS.hours,
  soakUnit: 'hours',
  firstRingMaxTroubled: DEFAULT_ROLLOUT_SETTINGS.first_ring_max_troubled,
  laterMaxTroubledPercent: DEFAULT_ROLLOUT_SETTINGS.later_max_troubled_percent,
  proofPercent: '',
};

/** The rings of the request. Null while a field is empty or out of range. */
export function toRings(fields: RingField[]): RingPlan[] | null {
  const rings = fields.map(toRing);
  const last: RingPlan = { name: rolloutMessages.plan.otherSites };
  return rings.includes(null) ? null : [...(rings as RingPlan[]), last];
}

function toRing(field: RingField): RingPlan | null {
  if ('tag' in field) {
    const tag = field.tag.trim();
    return tag === '' ? null : { name: capitalize(tag), tag };
  }
  const percent = toNumber(field.percent, { above: 0, max: 100 });
  return percent === null ? null : { name: rolloutMessages.plan.percentName(percent), percent };
}

/** The settings of the request. Null while a field is empty or out of range. */
export function toSettings(plan: RolloutPlan): RolloutSettings | null {
  const unitMinutes = SOAK_UNITS[plan.soakUnit];
  const soak = toNumber(plan.soak, { min: 0, max: SOAK_MINUTES_MAX / unitMinutes });
  const maxTroubled = toNumber(plan.firstRingMaxTroubled, { min: 0, max: SITE_IDS_MAX });
  const maxPercent = toNumber(plan.laterMaxTroubledPercent, { min: 0, max: 100 });
  const proofPercent = toProofPercent(plan.proofPercent);
  if (soak === null || maxTroubled === null || maxPercent === null || proofPercent === null) {
    return null;
  }
  return {
    soak_minutes: Math.round(soak * unitMinutes),
    first_ring_max_troubled: Math.floor(maxTroubled),
    later_max_troubled_percent: maxPercent,
    proof_percent: proofPercent,
  };
}

type Range = { min?: number; above?: number; max: number };

function toNumber(value: NumberValue, { min = 0, above, max }: Range): number | null {
  if (value === '' || !Number.isFinite(Number(value))) return null;
  const number = Number(value);
  const isInRange = number >= min && number <= max && (above === undefined || number > above);
  return isInRange ? number : null;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
