import { lazyComponent } from '../../components/lazy-component.tsx';

/** The dialogs that start a run or a rollout, for all pages. */

export const InstallDialog = lazyComponent(
  () => import('./install-dialog/install-dialog.tsx'),
  'InstallDialog',
);
export const RestoreDialog = lazyComponent(
  () => import('./components/restore-dialog.tsx'),
  'RestoreDialog',
);
export const SelfUpdateDialog = lazyComponent(
  () => import('./components/self-update-dialog.tsx'),
  'SelfUpdateDialog',
);
export const UpdateDialog = lazyComponent(
  () => import('./update-dialog/update-dialog.tsx'),
  'UpdateDialog',
);
