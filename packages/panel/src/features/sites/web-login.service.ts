import type { WebLogin } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { findEncryptedWebLogin, updateSite } from './sites.repository.ts';
import { lockSites } from './tags.repository.ts';

/** The login for HTTP basic authentication, which web servers often require for staging sites. */
export type WebLoginService = {
  /** Null removes the login. */
  set(
    user: CurrentUser,
    siteId: number,
    login: WebLogin | null,
    origin: AuditOrigin,
  ): Promise<void>;
  read(siteId: number): Promise<WebLogin | null>;
};

type Dependencies = {
  db: Database;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  audit: AuditService;
};

export function createWebLoginService({ db, secrets, audit }: Dependencies): WebLoginService {
  return {
    set: (user, siteId, login, origin) =>
      db.transaction().execute(async (trx) => {
        const [lockedId] = await lockSites(trx, isVisibleTo(user, 's'), [siteId]);
        if (lockedId === undefined) throw new AppError('site_not_found');
        const encrypted = login && secrets.encrypt(JSON.stringify(login), 'site_web_login');
        await updateSite(trx, siteId, { web_login_encrypted: encrypted });
        const action = login ? 'set_web_login' : 'remove_web_login';
        const context = login ? { username: login.username } : {};
        const record = { action, entityType: 'site', entityId: siteId, siteId, context } as const;
        await audit.record(trx, origin, [record]);
      }),

    async read(siteId) {
      const encrypted = await findEncryptedWebLogin(db, siteId);
      return encrypted ? JSON.parse(secrets.decrypt(encrypted, 'site_web_login')) : null;
    },
  };
}
