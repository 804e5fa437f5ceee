export { ConnectDialog, ConnectWays, CreateLicenseDialog } from './dialogs.ts';
