export { ScheduleDialog } from './dialogs.ts';
