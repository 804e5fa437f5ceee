import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';

/**
 * Clients send the CSRF token of their session with every write. The token is an HMAC of the session id, so the panel
 * stores nothing, and the token of one session is invalid in another.
 */
export type CsrfTokens = {
  create(sessionId: number): string;
  isValid(sessionId: number, token: unknown): boolean;
};

export function createCsrfTokens({ secrets }: { secrets: Pick<Secrets, 'keyFor'> }): CsrfTokens {
  const key = secrets.keyFor('csrf_tokens');
  const digest = (sessionId: number) =>
    createHmac('sha256', key).update(String(sessionId)).digest();

  return {
    create: (sessionId) => digest(sessionId).toString('base64url'),

    isValid(sessionId, token) {
      const given = Buffer.from(typeof token === 'string' ? token : '', 'base64url');
      const expected = digest(sessionId);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
