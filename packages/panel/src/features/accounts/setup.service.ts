import type { SetupRequest } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { IssuedLink, OneTimeLinks } from './one-time-links.ts';
import { assertAcceptablePassword } from './password-policy.ts';
import type { PasswordHashing } from './passwords.ts';
import { parseEmail, parseName } from './user-fields.ts';
import { blockNewUsers, hasUsers, storePasswordHash } from './users.repository.ts';
import type { UserService } from './users.service.ts';

/** Creates the first owner of a panel through a one-time link. Steward has no default password. */
export type SetupService = {
  /** Issues a setup link and voids the previous one. Null when the panel already has a user. */
  start(origin: AuditOrigin): Promise<IssuedLink | null>;
  /** Throws when the panel already has a user. */
  assertNeeded(): Promise<void>;
  /** Creates the first owner. Of two concurrent requests, only one succeeds. */
  complete(request: SetupRequest, origin: AuditOrigin): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  links: OneTimeLinks;
  users: UserService;
  hashing: PasswordHashing;
  /** Prepares the new panel for its first site. */
  createFirstLicense(trx: Trx, origin: AuditOrigin): Promise<void>;
};

export function createSetupService(deps: Dependencies): SetupService {
  const { db, clock, audit, links, users, hashing, createFirstLicense } = deps;

  async function assertNeeded(): Promise<void> {
    if (await hasUsers(db)) throw new AppError('setup_complete');
  }

  return {
    assertNeeded,

    start: (origin) =>
      db.transaction().execute(async (trx) => {
        await blockNewUsers(trx);
        if (await hasUsers(trx)) return null;
        const link = await links.issueForSetup(trx);
        await audit.record(trx, origin, {
          action: 'issue',
          entityType: 'setup_link',
          entityId: link.id,
          context: { expires_at: link.expiresAt },
        });
        return link;
      }),

    async complete({ token, password, ...profile }, origin) {
      await assertNeeded();
      await links.find(['setup'], token);
      const input = {
        email: parseEmail(profile.email),
        name: parseName(profile.name),
        role: 'owner' as const,
      };
      await assertAcceptablePassword(password, input.email);
      const hash = await hashing.hash(password);
      await db.transaction().execute(async (trx) => {
        await blockNewUsers(trx);
        if (await hasUsers(trx)) throw new AppError('setup_complete');
        await links.redeem(trx, 'setup', token);
        const owner = await users.insert(trx, input, origin);
        await storePasswordHash(trx, owner.id, hash, clock.now());
        await createFirstLicense(trx, origin);
      });
    },
  };
}
