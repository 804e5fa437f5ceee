import type { AuditOutcome } from '../lib/describe-audit-record.ts';
import { Light, type Look } from './light.tsx';

const LOOKS: Record<AuditOutcome['kind'], Look> = {
  good: 'good',
  partial: 'warn',
  bad: 'bad',
  uncertain: 'badHollow',
  off: 'off',
};

/** The outcome of an action in the audit log. */
export function AuditOutcomeLight({ outcome }: { outcome: AuditOutcome }) {
  return <Light look={LOOKS[outcome.kind]}>{outcome.word}</Light>;
}
