import Type from 'typebox';
import { BACKUP_CONTENTS, BACKUP_PLUGINS, type BackupPlugin } from '../backups.ts';
import { nullable, stringEnum } from './common.ts';

/** When the backup plugins of a site last completed a backup. Sent with the capability `backup_state`. */

const PLUGINS = Object.keys(BACKUP_PLUGINS) as BackupPlugin[];

export const BACKUP_ENTRIES_MAX = 30;

/**
 * Plain strings, not enums: the panel must accept the report of a newer plugin even if it does not know one of the words. It
 * stores a time that is no time, or that is in the future, as not known.
 */
export const BackupStateReport = Type.Object({
  backups: Type.Array(
    Type.Object({
      plugin: Type.String({ maxLength: 64, description: PLUGINS.join(', ') }),
      backed_up_at: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 64,
        description:
          'When the last completed backup started. Null: the plugin stores no time that the site can read.',
      }),
      contains: Type.Optional(
        Type.String({ maxLength: 32, description: BACKUP_CONTENTS.join(', ') }),
      ),
    }),
    {
      maxItems: BACKUP_ENTRIES_MAX,
      description:
        'For each active backup plugin: its newest backup of everything, of the database only and of the files only.',
    },
  ),
});
export type BackupStateReport = Type.Static<typeof BackupStateReport>;

export const SiteBackup = Type.Object({
  plugin: stringEnum(PLUGINS),
  name: Type.String(),
  backed_up_at: nullable.timestamp(),
  contains: stringEnum(BACKUP_CONTENTS),
});
export type SiteBackup = Type.Static<typeof SiteBackup>;
