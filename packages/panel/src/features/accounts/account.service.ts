import type { PanelUser, UpdateAccountRequest } from '@steward/contract';
import type { SignedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import { parseEmail, parseName, userNotFound } from './user-fields.ts';
import { toPanelUser } from './user-view.ts';
import { lockUser, updateNameAndEmail } from './users.repository.ts';

/** The user's own account. Owners change the role of users, see `UserService`. */
export type AccountService = {
  /** Writes no audit record when nothing changes. */
  update(signedIn: SignedIn, change: UpdateAccountRequest, origin: AuditOrigin): Promise<PanelUser>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  links: Pick<OneTimeLinks, 'voidUserLinks'>;
};

export function createAccountService({ db, clock, audit, links }: Dependencies): AccountService {
  return {
    update: ({ user: { id } }, change, origin) =>
      db.transaction().execute(async (trx) => {
        const user = await lockUser(trx, id);
        if (!user) throw userNotFound(id);
        const name = change.name === undefined ? user.name : parseName(change.name);
        const email = change.email === undefined ? user.email : parseEmail(change.email);
        if (name === user.name && email === user.email) return toPanelUser(user);
        const fields = { name, email, updated_at: clock.now() };
        const changed = await updateNameAndEmail(trx, id, fields);
        if (!changed) throw new AppError('email_taken');
        // A password link may have been sent to the old address, which may belong to another person now.
        if (email !== user.email) await links.voidUserLinks(trx, id);
        await audit.record(trx, origin, {
          action: 'update',
          entityType: 'user',
          entityId: id,
          context: {
            ...(name !== user.name && { name: { from: user.name, to: name } }),
            ...(email !== user.email && { email: { from: user.email, to: email } }),
          },
        });
        return toPanelUser(changed);
      }),
  };
}
