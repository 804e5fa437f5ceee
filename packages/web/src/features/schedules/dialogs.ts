import { lazyComponent } from '../../components/lazy-component.tsx';

export const ScheduleDialog = lazyComponent(
  () => import('./components/schedule-dialog.tsx'),
  'ScheduleDialog',
);
