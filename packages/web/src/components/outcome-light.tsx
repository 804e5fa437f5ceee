import type { Outcome } from '../lib/describe-audit-record.ts';
import { Light, type Look } from './light.tsx';

const LOOKS: Record<Outcome['kind'], Look> = {
  good: 'good',
  part: 'warn',
  bad: 'bad',
  unsure: 'badHollow',
  off: 'off',
};

/** The outcome of an action in the audit log. */
export function OutcomeLight({ outcome }: { outcome: Outcome }) {
  return <Light look={LOOKS[outcome.kind]}>{outcome.word}</Light>;
}
