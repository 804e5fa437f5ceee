export { createNotificationOutbox, type NotificationOutbox } from './outbox.ts';
