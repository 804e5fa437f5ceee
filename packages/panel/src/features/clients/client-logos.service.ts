import { createHash } from 'node:crypto';
import { CLIENT_LOGO_MAX_BYTES } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { CurrentUser } from '../site-access/index.ts';
import { deleteLogo, findLogo, storeLogo } from './client-logos.repository.ts';
import { lockClient } from './clients.repository.ts';
import { detectLogoType } from './detect-logo-type.ts';
import type { LogoType } from './tables.ts';

export type Logo = { media_type: LogoType; bytes: Buffer };

export type ClientLogoService = {
  read(user: CurrentUser, clientId: number): Promise<Logo>;
  /** Null removes the logo. */
  set(clientId: number, bytes: Buffer | null, origin: AuditOrigin): Promise<void>;
};

type Dependencies = { db: Database; audit: AuditService };

export function createClientLogoService({ db, audit }: Dependencies): ClientLogoService {
  return {
    async read(user, clientId) {
      const logo = await findLogo(db, user, clientId);
      if (!logo) throw new AppError('client_not_found', { message: 'There is no such logo.' });
      return logo;
    },

    async set(clientId, bytes, origin) {
      const logo = bytes && toLogo(bytes);
      await db.transaction().execute(async (trx) => {
        const client = await lockClient(trx, clientId);
        if (!client) throw new AppError('client_not_found');
        if (logo) await storeLogo(trx, { client_id: clientId, ...logo });
        else if (!(await deleteLogo(trx, clientId))) return;
        await audit.record(trx, origin, {
          action: logo ? 'set_logo' : 'remove_logo',
          entityType: 'client',
          entityId: clientId,
          context: { name: client.name },
        });
      });
    },
  };
}

function toLogo(bytes: Buffer) {
  const media_type = detectLogoType(bytes);
  if (media_type === null || bytes.length > CLIENT_LOGO_MAX_BYTES) {
    throw new AppError('invalid_logo');
  }
  return { media_type, bytes, hash: createHash('sha256').update(bytes).digest() };
}
