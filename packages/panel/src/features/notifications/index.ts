export { channelRoutes } from './channels.routes.ts';
export { createChannelService } from './channels.service.ts';
export { createDeliverer } from './deliverer.ts';
export { deliveryRoutes } from './deliveries.routes.ts';
export { createDeliveryLog } from './delivery-log.service.ts';
export { createEmailSettingsService } from './email-settings.service.ts';
export { createNotificationOutbox, type NotificationOutbox } from './outbox.ts';
export { type NotificationTiming, startNotifications } from './start-notifications.ts';
