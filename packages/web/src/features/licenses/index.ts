export {
  ConnectInstructions,
  ConnectSteps,
  DownloadPlugin,
  WordPressInstructions,
} from './components/connect-steps.tsx';
export { CreateLicenseDialog } from './components/create-license-dialog.tsx';
