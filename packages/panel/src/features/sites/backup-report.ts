import {
  BACKUP_CONTENTS,
  BACKUP_PLUGINS,
  type BackupPlugin,
  type BackupStateReport,
  type StoredBackup,
} from '@steward/contract';

/** Clocks differ a little. A later time is nonsense. */
const MAX_AHEAD_MS = 10 * 60_000;

/** No backup of WordPress is older. */
const EARLIEST = Date.parse('2003-01-01T00:00:00Z');

/**
 * Returns the part of a report that the panel stores. Drops plugins and contents that this version of the panel does not know;
 * a time that cannot be right is not known.
 */
export function toStoredBackups({ backups }: BackupStateReport, now: Date): StoredBackup[] {
  return backups.flatMap(({ plugin, backed_up_at, contains = 'all' }): StoredBackup[] => {
    const content = BACKUP_CONTENTS.find((known) => known === contains);
    if (!content || !Object.hasOwn(BACKUP_PLUGINS, plugin)) return [];
    const time = backed_up_at === null ? null : toTime(backed_up_at, now);
    return [{ plugin: plugin as BackupPlugin, backed_up_at: time, contains: content }];
  });
}

function toTime(text: string, now: Date): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text)) return null;
  const time = Date.parse(text);
  const isPossible = time >= EARLIEST && time <= now.getTime() + MAX_AHEAD_MS;
  return isPossible ? new Date(time).toISOString() : null;
}
