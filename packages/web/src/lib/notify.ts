import { notifications } from '@mantine/notifications';
import { commonMessages } from '../messages/common.ts';
import { ApiError } from './api.ts';

const CLOSE_BUTTON = { closeButtonProps: { 'aria-label': commonMessages.dismiss } };

export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'var(--steward-good)', withBorder: true, ...CLOSE_BUTTON });
}

/** Shows a result that needs attention. The notification stays until the user closes it. */
export function notifyWarning(message: string): void {
  notifications.show({
    message,
    color: 'var(--steward-warn)',
    withBorder: true,
    autoClose: false,
    ...CLOSE_BUTTON,
  });
}

export function notifyError(error: unknown): void {
  const message = error instanceof ApiError ? error.message : commonMessages.errors.actionFailed;
  notifications.show({
    message,
    color: 'var(--steward-bad)',
    withBorder: true,
    autoClose: 10_000,
    ...CLOSE_BUTTON,
  });
}
