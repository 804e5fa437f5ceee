import { type PanelAddress, type PanelSettings, panelReach } from '@steward/contract';
import type { SignedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import { hasSecondFactor } from './second-factor-rule.ts';
import { isSecondFactorRequired, storeSecondFactorRequired } from './settings.repository.ts';
import { lockUser } from './users.repository.ts';

/** Settings that apply to all users. Only owners change them. */
export type SettingsService = {
  view(): Promise<PanelSettings>;
  getAddress(): PanelAddress;
  update(signedIn: SignedIn, change: PanelSettings, origin: AuditOrigin): Promise<PanelSettings>;
};

type Dependencies = { db: Database; audit: AuditService; getPanelUrl(): string };

export function createSettingsService({ db, audit, getPanelUrl }: Dependencies): SettingsService {
  return {
    view: async () => ({ require_second_factor: await isSecondFactorRequired(db) }),

    getAddress() {
      const url = getPanelUrl();
      return { url, reach: panelReach(url) };
    },

    update: ({ user }, { require_second_factor }, origin) =>
      db.transaction().execute(async (trx) => {
        // The lock keeps a concurrent request from removing the owner's last second factor.
        await lockUser(trx, user.id);
        if ((await isSecondFactorRequired(trx)) === require_second_factor) {
          return { require_second_factor };
        }
        if (require_second_factor && !(await hasSecondFactor(trx, user.id))) {
          throw new AppError('no_second_factor', {
            message:
              'First set up a second factor for your own account, on the page "Your account".',
          });
        }
        await storeSecondFactorRequired(trx, require_second_factor);
        await audit.record(trx, origin, {
          action: require_second_factor ? 'require' : 'stop_requiring',
          entityType: 'setting',
          entityId: 'second_factor',
        });
        return { require_second_factor };
      }),
  };
}
