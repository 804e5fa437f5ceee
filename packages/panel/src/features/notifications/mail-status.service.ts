import type { MailStatus } from '@steward/contract';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/database/handles.ts';
import { findLastFailure, findLastSent } from './mail-status.repository.ts';
import { describeServer } from './send-email.ts';

export type MailStatusService = ReturnType<typeof createMailStatusService>;

type Dependencies = { db: Database; settings: { getAddress(): { url: string } } };

/** Says whether the panel can send e-mail, from its settings and from the last attempts. */
export function createMailStatusService(
  { db, settings }: Dependencies,
  { smtp }: Pick<Config, 'smtp'>,
) {
  return {
    async view(): Promise<MailStatus> {
      const [sent, failure] = await Promise.all([findLastSent(db), findLastFailure(db)]);
      return {
        configured: smtp !== null,
        server: smtp && describeServer(smtp.url),
        sender: smtp?.from ?? null,
        links_start_with: settings.getAddress().url,
        last_sent: sent ? { at: sent.delivered_at.toISOString(), recipient: sent.recipient } : null,
        last_failure: failure
          ? {
              at: failure.last_attempt_at.toISOString(),
              recipient: failure.recipient,
              error: failure.error,
            }
          : null,
      };
    },
  };
}
