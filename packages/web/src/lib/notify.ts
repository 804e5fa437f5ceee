import { notifications } from '@mantine/notifications';
import { ApiError } from './api.ts';

const CLOSE = { closeButtonProps: { 'aria-label': 'Dismiss' } };

/** A line at the edge of the page, for what happened where nobody is looking any more. */
export function sayDone(message: string): void {
  notifications.show({ message, color: 'green', withBorder: true, ...CLOSE });
}

/** Done, with something that its user should know. It stays until it is closed. */
export function sayWarning(message: string): void {
  notifications.show({ message, color: 'yellow', withBorder: true, autoClose: false, ...CLOSE });
}

export function sayFault(error: unknown): void {
  const message =
    error instanceof ApiError ? error.message : 'That did not work. Reload the page and try again.';
  notifications.show({ message, color: 'red', withBorder: true, autoClose: 10_000, ...CLOSE });
}
