export {
  type BackupSummary,
  createBackupService,
  restorePanel,
  summarize,
} from './backup.service.ts';
export { findFolderProblem, openBackupFolder } from './backup-folder.ts';
export { openBackup } from './open-backup.ts';
export { createScheduledBackups, startScheduledBackups } from './scheduled-backups.ts';
