import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';

/**
 * What a session must send along with every change. Made from the session's id with a key of its
 * own, so there is nothing to store, and the token of one session is worth nothing in another.
 */
export type CsrfTokens = {
  of(sessionId: number): string;
  isOf(sessionId: number, token: unknown): boolean;
};

export function createCsrfTokens({ secrets }: { secrets: Pick<Secrets, 'keyFor'> }): CsrfTokens {
  const key = secrets.keyFor('csrf_tokens');
  const digest = (sessionId: number) =>
    createHmac('sha256', key).update(String(sessionId)).digest();

  return {
    of: (sessionId) => digest(sessionId).toString('base64url'),

    isOf(sessionId, token) {
      const given = Buffer.from(typeof token === 'string' ? token : '', 'base64url');
      const right = digest(sessionId);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
