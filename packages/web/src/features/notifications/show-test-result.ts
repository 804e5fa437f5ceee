import type { NotificationDelivery } from '@steward/contract';
import { notifySuccess, notifyWarning } from '../../lib/notify.ts';
import { notificationsMessages } from '../../messages/notifications.ts';

const messages = notificationsMessages.test;

/** Shows the real result of a test message. A failure stays until the user closes it. */
export function showTestResult({ status, recipient, error }: NotificationDelivery): void {
  if (status === 'delivered') notifySuccess(messages.delivered(recipient));
  else notifyWarning(messages.failed(recipient, error ?? ''));
}
