import { lazyComponent } from '../../components/lazy-component.tsx';

export const HoldVersionDialog = lazyComponent(
  () => import('./components/hold-version-dialog.tsx'),
  'HoldVersionDialog',
);
export const QuarantineDialog = lazyComponent(
  () => import('./components/quarantine-dialog.tsx'),
  'QuarantineDialog',
);
