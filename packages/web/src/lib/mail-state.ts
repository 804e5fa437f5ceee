import type { MailStatus } from '@steward/contract';

/** `unused`: no e-mail in the last 90 days. */
export type MailState = 'not_configured' | 'unused' | 'working' | 'failing';

/** The newest attempt decides. */
export function findMailState({ configured, last_sent, last_failure }: MailStatus): MailState {
  if (!configured) return 'not_configured';
  if (last_sent === null && last_failure === null) return 'unused';
  return (last_failure?.at ?? '') > (last_sent?.at ?? '') ? 'failing' : 'working';
}
