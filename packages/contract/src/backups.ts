/** What the panel knows about the backups of a site. */

/** The backup plugins that a site reports, with their names. */
export const BACKUP_PLUGINS = {
  updraftplus: 'UpdraftPlus',
  backwpup: 'BackWPup',
  duplicator: 'Duplicator',
  wpvivid: 'WPvivid',
  jetpack: 'Jetpack VaultPress Backup',
  'all-in-one-wp-migration': 'All-in-One WP Migration',
} as const;
export type BackupPlugin = keyof typeof BACKUP_PLUGINS;

/** `files`: at least all plugins and themes. */
export const BACKUP_CONTENTS = ['all', 'database', 'files'] as const;
export type BackupContent = (typeof BACKUP_CONTENTS)[number];

export type StoredBackup = {
  plugin: BackupPlugin;
  /** When the last completed backup started. Null: not known. */
  backed_up_at: string | null;
  contains: BackupContent;
};

/** The preflight names the sites without a known backup from this time. */
export const BACKUP_RECENT_HOURS = 24;

/**
 * Finds the time to which the whole site can be restored: that of the newest full backup, or of the older one of the newest
 * backups of the database and of the files. Null: not known.
 */
export function findBackupTime(backups: readonly StoredBackup[]): Date | null {
  const newest = (content: BackupContent) =>
    Math.max(
      ...backups
        .filter(({ contains, backed_up_at }) => contains === content && backed_up_at !== null)
        .map(({ backed_up_at }) => Date.parse(backed_up_at ?? '')),
    );
  const all = newest('all');
  const time = Math.min(Math.max(newest('database'), all), Math.max(newest('files'), all));
  return Number.isFinite(time) ? new Date(time) : null;
}

/** Whether a backup is younger than these hours. A time that is not known is not recent. */
export function isBackupRecent(backedUpAt: Date | null, hours: number, now: Date): boolean {
  return backedUpAt !== null && now.getTime() - backedUpAt.getTime() < hours * 3_600_000;
}
