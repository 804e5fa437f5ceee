import { lazyComponent } from '../../components/lazy-component.tsx';

export const ConnectDialog = lazyComponent(
  () => import('./components/connect-dialog.tsx'),
  'ConnectDialog',
);
export const CreateLicenseDialog = lazyComponent(
  () => import('./components/create-license-dialog.tsx'),
  'CreateLicenseDialog',
);
/** The same ways on the page of a panel without sites. */
export const ConnectWays = lazyComponent(
  () => import('./components/connect-ways.tsx'),
  'ConnectWays',
);
