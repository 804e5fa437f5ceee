import { lazyComponent } from '../../components/lazy-component.tsx';

export const ClientDialog = lazyComponent(
  () => import('./components/client-dialog.tsx'),
  'ClientDialog',
);
export const ArchiveClientDialog = lazyComponent(
  () => import('./components/archive-client-dialog.tsx'),
  'ArchiveClientDialog',
);
