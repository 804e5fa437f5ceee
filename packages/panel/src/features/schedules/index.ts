export { createFindWindows } from './schedule-windows.ts';
export { scheduleRoutes } from './schedules.routes.ts';
export { createScheduleService } from './schedules.service.ts';
export { startDueSchedules } from './start-due-schedules.ts';
export { startScheduler } from './start-scheduler.ts';
export { formatLocalTime } from './windows.ts';
