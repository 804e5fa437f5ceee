export { ConnectDialog } from './components/connect-dialog.tsx';
export { CreateLicenseDialog } from './components/create-license-dialog.tsx';
