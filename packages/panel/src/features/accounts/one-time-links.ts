import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, LinkPurpose, Trx } from '../../platform/database/tables.ts';
import { generateLinkToken, hashToken } from '../../platform/secrets.ts';
import {
  deleteLinksOf,
  deleteSetupLinks,
  findLink,
  insertLink,
  takeLink,
} from './one-time-links.repository.ts';

export type IssuedLink = { id: number; url: string; expiresAt: Date };

/** Links that let somebody in once, whom nobody knows yet or who has no password. */
export type OneTimeLinks = {
  /** A new one voids the one before, for the panel as for a user. */
  issueForSetup(trx: Trx): Promise<IssuedLink>;
  issueForPassword(trx: Trx, userId: number): Promise<IssuedLink>;
  /**
   * Whose it is; to be asked before a password is hashed, because that takes time, which strangers
   * must not be able to use up.
   */
  find(purpose: LinkPurpose, token: string): Promise<{ userId: number | null }>;
  /** Uses it up. */
  redeem(trx: Trx, purpose: LinkPurpose, token: string): Promise<void>;
  voidAllOf(trx: Trx, userId: number): Promise<void>;
  voidSetup(trx: Trx): Promise<void>;
};

const HOUR_MS = 60 * 60 * 1000;
const LIVES_MS: Record<LinkPurpose, number> = { setup: 24 * HOUR_MS, password: 72 * HOUR_MS };
const PATHS: Record<LinkPurpose, string> = { setup: '/setup', password: '/set-password' };

type Dependencies = {
  db: Database;
  clock: Clock;
  /** Asked for each link: with port 0 the address is known only when the panel listens. */
  linkBase(): string;
};

export function createOneTimeLinks({ db, clock, linkBase }: Dependencies): OneTimeLinks {
  async function issue(trx: Trx, purpose: LinkPurpose, userId: number | null): Promise<IssuedLink> {
    const now = clock.now();
    const token = generateLinkToken();
    const expiresAt = new Date(now.getTime() + LIVES_MS[purpose]);
    const id = await insertLink(trx, {
      purpose,
      user_id: userId,
      token_hash: hashOf(token),
      expires_at: expiresAt,
      created_at: now,
    });
    // Behind the #, which browsers keep to themselves: it is in no log on the way.
    return { id, url: `${linkBase()}${PATHS[purpose]}#token=${token}`, expiresAt };
  }

  const keyOf = (purpose: LinkPurpose, token: string) => ({
    purpose,
    tokenHash: hashOf(token),
    now: clock.now(),
  });

  return {
    async issueForSetup(trx) {
      await deleteSetupLinks(trx);
      return issue(trx, 'setup', null);
    },

    async issueForPassword(trx, userId) {
      await deleteLinksOf(trx, userId);
      return issue(trx, 'password', userId);
    },

    async find(purpose, token) {
      const link = await findLink(db, keyOf(purpose, token));
      if (!link) throw new AppError('invalid_link');
      return { userId: link.user_id };
    },

    async redeem(trx, purpose, token) {
      if (!(await takeLink(trx, keyOf(purpose, token)))) throw new AppError('invalid_link');
    },

    voidAllOf: deleteLinksOf,
    voidSetup: deleteSetupLinks,
  };
}

function hashOf(token: string): Buffer {
  return Buffer.from(hashToken(token), 'hex');
}
