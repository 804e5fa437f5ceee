export {
  type BackupSummary,
  createBackupService,
  restorePanel,
  summarize,
} from './backup.service.ts';
export { findFolderProblem, openBackupFolder } from './backup-folder.ts';
export { openBackup } from './open-backup.ts';
export { panelBackupRoutes } from './panel-backups.routes.ts';
export { createPanelBackups } from './panel-backups.service.ts';
export { createScheduledBackups, startScheduledBackups } from './scheduled-backups.ts';
export { verifyBackup } from './verify-backup.ts';
