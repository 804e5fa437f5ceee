export {
  ConnectSteps,
  ConnectWays,
  DownloadPlugin,
  InWordPress,
} from './components/connect-steps.tsx';
export { CreateLicenseDialog } from './components/create-license-dialog.tsx';
