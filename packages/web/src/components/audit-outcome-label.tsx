import type { AuditOutcome } from '../lib/describe-audit-record.ts';
import { type StatusKind, StatusLabel } from './status-label.tsx';

const KINDS: Record<AuditOutcome['kind'], StatusKind> = {
  good: 'good',
  partial: 'warn',
  bad: 'bad',
  uncertain: 'badHollow',
  off: 'off',
};

/** The outcome of an action in the audit log. */
export function AuditOutcomeLabel({ outcome }: { outcome: AuditOutcome }) {
  return <StatusLabel kind={KINDS[outcome.kind]}>{outcome.word}</StatusLabel>;
}
