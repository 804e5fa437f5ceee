import { lazyComponent } from '../../components/lazy-component.tsx';

export const ConnectDialog = lazyComponent(
  () => import('./components/connect-dialog.tsx'),
  'ConnectDialog',
);
export const CreateLicenseDialog = lazyComponent(
  () => import('./components/create-license-dialog.tsx'),
  'CreateLicenseDialog',
);
