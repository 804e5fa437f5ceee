export { ScheduleDialog } from './components/schedule-dialog.tsx';
