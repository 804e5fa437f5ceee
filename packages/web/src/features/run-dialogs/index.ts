export { InstallDialog, RestoreDialog, SelfUpdateDialog, UpdateDialog } from './dialogs.ts';
