import { auditMessages } from '../messages/audit.ts';
import type { DescribedRecord, Names, Sentence } from '../messages/audit-sentence-types.ts';
import { auditSentences } from '../messages/audit-sentences.ts';

export type { DescribedRecord, Names };

export type AuditOutcome = { kind: 'good' | 'partial' | 'bad' | 'uncertain' | 'off'; word: string };
export type RecordText = {
  /** Such as "Olive". */
  actor: string;
  /** Such as "suspended license Care (…CKDZX9)". */
  action: string;
  /** Null for actions that are recorded only on success. */
  outcome: AuditOutcome | null;
  /** The error message that the panel stored with the record. */
  reason: string | null;
};

const { actors, outcomes, types } = auditMessages;
const SENTENCES: Record<string, Sentence> = auditSentences;

export function describeRecord(record: DescribedRecord, names: Names): RecordText {
  const { error } = record.context;
  return {
    actor: describeActor(record, names),
    action: describeAction(record, names),
    outcome: outcomeOf(record),
    reason: typeof error === 'string' ? error : null,
  };
}

function describeAction(record: DescribedRecord, names: Names): string {
  if (isSetup(record)) return auditMessages.completedSetup;
  const { repeated, day } = record.context;
  const sentence = describeEvent(record, names);
  return typeof repeated === 'number' && typeof day === 'string'
    ? auditMessages.counted(repeated, day, sentence)
    : sentence;
}

function describeEvent(record: DescribedRecord, names: Names): string {
  const sentence = SENTENCES[eventOf(record)];
  if (sentence) return sentence(record, names);
  // A newer panel may record events that this page does not know.
  const about = record.entity_id ? ` ${record.entity_id}` : '';
  return `${record.action} ${record.entity_type}${about}`;
}

const eventOf = ({ entity_type, action }: DescribedRecord) => `${entity_type}.${action}`;

/** True for the creation of the first owner. No user is signed in during setup, so the actor is `system`. */
const isSetup = (record: DescribedRecord): boolean =>
  eventOf(record) === 'user.create' && record.actor === 'system' && record.context.via === 'panel';

const ACTORS_BY_VIA: Record<string, string> = actors.via;

function describeActor(record: DescribedRecord, names: Names): string {
  const { actor, context, entity_id } = record;
  if (actor !== 'system') {
    const name = names.user(actor) ?? actors.user(actor);
    const token = tokenNameOf(record);
    return token === null ? name : actors.withToken(name, token);
  }
  if (isSetup(record)) return names.user(entity_id ?? '') ?? String(context.email);
  // Earlier versions recorded `panel` for runs that the worker cancelled. Only the worker gave a reason.
  const isByWorker =
    eventOf(record) === 'run.cancel' && context.via === 'panel' && context.reason !== undefined;
  return ACTORS_BY_VIA[isByWorker ? 'worker' : String(context.via)] ?? actors.fallback;
}

/** The access token with which the user acted. */
function tokenNameOf({ context }: DescribedRecord): string | null {
  const { token } = context;
  const name = typeof token === 'object' && token !== null && 'name' in token ? token.name : null;
  return typeof name === 'string' ? name : null;
}

const OUTCOMES: Record<string, AuditOutcome> = {
  succeeded: { kind: 'good', word: outcomes.succeeded },
  partial: { kind: 'partial', word: outcomes.partial },
  failed: { kind: 'bad', word: outcomes.failed },
  unverified: { kind: 'uncertain', word: outcomes.unverified },
  unknown: { kind: 'uncertain', word: outcomes.unknown },
  refused: { kind: 'bad', word: outcomes.refused },
  cancelled: { kind: 'off', word: outcomes.cancelled },
};
const REFUSALS = new Set([
  'activation.refuse_changes',
  'license.refuse_new_sites',
  'sign_in.fail',
  'sign_in.throttle',
  'user.refuse_code',
  'user.refuse_password',
  'user.refuse_password_change',
]);

function outcomeOf(record: DescribedRecord): AuditOutcome | null {
  if (REFUSALS.has(eventOf(record))) return OUTCOMES.refused ?? null;
  const { outcome } = record.context;
  return typeof outcome === 'string' ? (OUTCOMES[outcome] ?? null) : null;
}

/** Entity types with their labels, in the order of the filter. */
export const ENTITY_LABELS: Record<string, string> = types;

export const entityLabel = (entityType: string): string =>
  ENTITY_LABELS[entityType] ?? humanize(entityType);

/** "set_limit" becomes "Set limit". */
export const actionLabel = humanize;

/** The actions that have a sentence, for one entity type or for all types. */
export function knownActions(entityType?: string): string[] {
  const actions = Object.keys(SENTENCES)
    .map((event) => event.split('.') as [string, string])
    .filter(([entity]) => !entityType || entity === entityType)
    .map(([, action]) => action);
  return [...new Set(actions)].sort();
}

function humanize(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
