import type { BackupContent } from '@steward/contract';

const contents: Record<BackupContent, string> = {
  all: '',
  database: ' (database only)',
  files: ' (files only)',
};

/** The backups of a site, made by its own backup plugins. */
export const backupMessages = {
  title: 'Backup',
  notReported: (isWordPress: boolean) =>
    isWordPress
      ? 'Not known. The site has not reported its backups. Update the Steward plugin, then sync the site.'
      : 'Not known. Only WordPress sites report their backups.',
  noPlugin:
    'Not known. Steward finds no active backup plugin that it can read: UpdraftPlus, BackWPup, Duplicator, WPvivid, Jetpack VaultPress Backup or All-in-One WP Migration. Backups by the host are not visible to WordPress.',
  /** Followed by the time. */
  fullBackup: 'The last full backup started',
  noFullBackup:
    'No completed full backup is known. Make one in the backup plugin, then sync the site.',
  plugin: (name: string, content: BackupContent) => `${name}${contents[content]}`,
  notKnown: 'not known',
  notStored: 'not known: its backups are stored at WordPress.com',
} as const;
