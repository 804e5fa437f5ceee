import { lazyComponent } from '../../components/lazy-component.tsx';

export const QuarantineDialog = lazyComponent(
  () => import('./components/quarantine-dialog.tsx'),
  'QuarantineDialog',
);
