import { type EmailSettings, notificationTypesFor, type PanelUser } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { toTypes } from './channels.service.ts';
import {
  deleteGatheredOfUser,
  findEmailSettings,
  listEmailUsers,
  storeEmailSettings,
} from './email-settings.repository.ts';

export type EmailSettingsService = ReturnType<typeof createEmailSettingsService>;

type Dependencies = { db: Database; clock: Clock };
type User = Pick<PanelUser, 'id' | 'role'>;

/** Each user chooses which notifications to get by e-mail. */
export function createEmailSettingsService({ db, clock }: Dependencies) {
  return {
    async view({ id, role }: User): Promise<EmailSettings> {
      const available = notificationTypesFor(role);
      const settings = await findEmailSettings(db, id);
      if (!settings) return { mode: 'off', event_types: available };
      // The user may have lost the role owner since.
      const event_types = settings.event_types.filter((type) => available.includes(type));
      return { mode: settings.mode, event_types };
    },

    async update({ id, role }: User, change: EmailSettings): Promise<EmailSettings> {
      const available = notificationTypesFor(role);
      const event_types = toTypes(change.event_types).filter((type) => available.includes(type));
      const settings = { mode: change.mode, event_types };
      await db.transaction().execute(async (trx) => {
        await storeEmailSettings(trx, id, settings, clock.now());
        if (settings.mode === 'off') await deleteGatheredOfUser(trx, id);
      });
      return settings;
    },

    async countUsers(): Promise<number> {
      return (await listEmailUsers(db)).length;
    },
  };
}
