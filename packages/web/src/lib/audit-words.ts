import { type Names, SENTENCES, type WordedRecord } from './audit-sentences.ts';

export type { Names, WordedRecord };

/** What the audit log says, in plain words. Knows nothing of the page it is shown on. */

export type Outcome = { kind: 'good' | 'part' | 'bad' | 'unsure' | 'off'; word: string };
export type AuditWords = {
  /** "Olive" */
  who: string;
  /** "suspended license 3" */
  did: string;
  /** For what may fail; everything else is in the log because it was done. */
  outcome: Outcome | null;
  /** Why it failed, as the panel said it then. */
  reason: string | null;
};

export function wordsOf(record: WordedRecord, names: Names): AuditWords {
  const { error } = record.context;
  return {
    who: whoOf(record, names),
    did: sentenceOf(record, names),
    outcome: outcomeOf(record),
    reason: typeof error === 'string' ? error : null,
  };
}

function sentenceOf(record: WordedRecord, names: Names): string {
  const sentence = SENTENCES[kindOf(record)];
  if (sentence) return sentence(record, names);
  // A newer panel may record what this page has no words for.
  const about = record.entity_id ? ` ${record.entity_id}` : '';
  return `${record.action} ${record.entity_type}${about}`;
}

const kindOf = ({ entity_type, action }: WordedRecord) => `${entity_type}.${action}`;

const SYSTEM: Record<string, string> = {
  command_line: 'The command line',
  license_api: 'A site',
  panel: 'Somebody not signed in',
  worker: 'The worker',
};

function whoOf(record: WordedRecord, names: Names): string {
  const { actor, context } = record;
  if (actor !== 'system') return names.user(actor) ?? `User ${actor}`;
  // Earlier versions recorded what the worker cancelled as done by a visitor; only it gave a reason.
  const isByWorker =
    kindOf(record) === 'run.cancel' && context.via === 'panel' && context.reason !== undefined;
  return SYSTEM[isByWorker ? 'worker' : String(context.via)] ?? 'The panel';
}

const OUTCOMES: Record<string, Outcome> = {
  succeeded: { kind: 'good', word: 'succeeded' },
  partial: { kind: 'part', word: 'partly failed' },
  failed: { kind: 'bad', word: 'failed' },
  unverified: { kind: 'unsure', word: 'unverified' },
  unknown: { kind: 'unsure', word: 'answer lost' },
  refused: { kind: 'bad', word: 'refused' },
  cancelled: { kind: 'off', word: 'cancelled' },
};
const REFUSALS = new Set([
  'sign_in.fail',
  'sign_in.throttle',
  'user.refuse_code',
  'user.refuse_password',
  'user.refuse_password_change',
]);

function outcomeOf(record: WordedRecord): Outcome | null {
  if (REFUSALS.has(kindOf(record))) return OUTCOMES.refused ?? null;
  const { outcome } = record.context;
  return typeof outcome === 'string' ? (OUTCOMES[outcome] ?? null) : null;
}

/** Kinds of things that the log tells of, in the order of a list to choose from. */
export const ENTITY_LABELS: Record<string, string> = {
  remote_update: 'Updates of sites',
  remote_plugin: 'Plugin actions',
  remote_site: 'Syncs',
  run: 'Runs',
  site: 'Sites',
  activation: 'Activations',
  license: 'Licenses',
  plan: 'Plans',
  signing_key: 'Signing keys',
  user: 'Users',
  access: 'Access to sites',
  sign_in: 'Sign-ins',
  session: 'Sessions',
  setup_link: 'Set-up links',
  setting: 'Settings',
  audit_log: 'Audit log',
};

export const entityLabel = (entityType: string): string =>
  ENTITY_LABELS[entityType] ?? plain(entityType);

/** "set_limit" is "Set limit". */
export const actionLabel = plain;

/** All actions there are words for, of one kind of thing or of any. */
export function knownActions(entityType?: string): string[] {
  const actions = Object.keys(SENTENCES)
    .map((kind) => kind.split('.') as [string, string])
    .filter(([entity]) => !entityType || entity === entityType)
    .map(([, action]) => action);
  return [...new Set(actions)].sort();
}

function plain(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
