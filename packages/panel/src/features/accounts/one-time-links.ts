import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { generateLinkToken, hashToken } from '../../platform/secrets.ts';
import {
  consumeLink,
  deleteExpiredLinks,
  deleteSetupLinks,
  deleteUserLinks,
  findLink,
  insertLink,
} from './one-time-links.repository.ts';
import type { LinkPurpose } from './tables.ts';

export type IssuedLink = { id: number; url: string; expiresAt: Date };

/** Links that work once: for creating the first owner and for choosing a password. */
export type OneTimeLinks = {
  /** Voids the previous setup link. */
  issueForSetup(trx: Trx): Promise<IssuedLink>;
  /** Voids the previous links of this user. */
  issueForPassword(trx: Trx, userId: number): Promise<IssuedLink>;
  /**
   * Voids no other link: a stranger can request one, and must not void the link of an owner or an earlier mail. All end with
   * the first one that is used. The caller limits their number.
   */
  issueForReset(trx: Trx, userId: number): Promise<IssuedLink>;
  /**
   * Finds the user of a link. Call it before hashing a password: hashing is slow, and a client without a valid link
   * must not be able to trigger it.
   */
  find(
    purposes: readonly LinkPurpose[],
    token: string,
  ): Promise<{ userId: number | null; purpose: LinkPurpose }>;
  /** Consumes the link. Throws `invalid_link` when it is unknown, expired or already used. */
  redeem(trx: Trx, purpose: LinkPurpose, token: string): Promise<void>;
  voidUserLinks(trx: Trx, userId: number): Promise<void>;
  voidSetupLinks(trx: Trx): Promise<void>;
};

const HOUR_MS = 60 * 60 * 1000;
const LIFETIMES_MS: Record<LinkPurpose, number> = {
  setup: 24 * HOUR_MS,
  password: 72 * HOUR_MS,
  reset: HOUR_MS,
};
const PATHS: Record<LinkPurpose, string> = {
  setup: '/setup',
  password: '/set-password',
  reset: '/set-password',
};

type Dependencies = {
  db: Database;
  clock: Clock;
  /** A function, because with port 0 the address is known only after the panel listens. */
  getPanelUrl(): string;
};

export function createOneTimeLinks({ db, clock, getPanelUrl }: Dependencies): OneTimeLinks {
  async function issue(trx: Trx, purpose: LinkPurpose, userId: number | null): Promise<IssuedLink> {
    const now = clock.now();
    const token = generateLinkToken();
    const expiresAt = new Date(now.getTime() + LIFETIMES_MS[purpose]);
    const id = await insertLink(trx, {
      purpose,
      user_id: userId,
      token_hash: hashLinkToken(token),
      expires_at: expiresAt,
      created_at: now,
    });
    // The token is in the fragment, which browsers do not send, so it reaches no proxy or server log.
    return { id, url: `${getPanelUrl()}${PATHS[purpose]}#token=${token}`, expiresAt };
  }

  const toLinkKey = (purposes: readonly LinkPurpose[], token: string) => ({
    purposes,
    tokenHash: hashLinkToken(token),
    now: clock.now(),
  });

  return {
    async issueForSetup(trx) {
      await deleteSetupLinks(trx);
      return issue(trx, 'setup', null);
    },

    async issueForPassword(trx, userId) {
      await deleteUserLinks(trx, userId);
      return issue(trx, 'password', userId);
    },

    async issueForReset(trx, userId) {
      await deleteExpiredLinks(trx, userId, clock.now());
      return issue(trx, 'reset', userId);
    },

    async find(purposes, token) {
      const link = await findLink(db, toLinkKey(purposes, token));
      if (!link) throw new AppError('invalid_link');
      return { userId: link.user_id, purpose: link.purpose };
    },

    async redeem(trx, purpose, token) {
      if (!(await consumeLink(trx, toLinkKey([purpose], token))))
        throw new AppError('invalid_link');
    },

    voidUserLinks: deleteUserLinks,
    voidSetupLinks: deleteSetupLinks,
  };
}

function hashLinkToken(token: string): Buffer {
  return Buffer.from(hashToken(token), 'hex');
}
