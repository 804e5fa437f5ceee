export {
  ConnectInstructions,
  ConnectSteps,
  DownloadPluginButton,
  WordPressInstructions,
} from './components/connect-steps.tsx';
export { CreateLicenseDialog } from './components/create-license-dialog.tsx';
