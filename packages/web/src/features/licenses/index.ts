export { ConnectDialog, CreateLicenseDialog } from './dialogs.ts';
