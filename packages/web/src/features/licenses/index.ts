export {
  ConnectInstructions,
  ConnectSteps,
  DownloadPluginButton,
  UploadPluginStep,
} from './components/connect-steps.tsx';
export { CreateLicenseDialog } from './components/create-license-dialog.tsx';
