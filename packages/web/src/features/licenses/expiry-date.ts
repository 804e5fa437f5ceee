import { toDay } from '../../lib/days.ts';
import { licenseDialogsMessages } from '../../messages/license-dialogs.ts';

/**
 * Users choose the last day on which a license is valid, in their time zone. The panel stores the end of that day as a
 * timestamp.
 */

const messages = licenseDialogsMessages.expiry;

export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

/** While the user types, the browser reports years such as 0002. The message for them must not be "in the past". */
export function validateDay(day: string): string | null {
  if (!/^2\d{3}-\d{2}-\d{2}$/.test(day)) return messages.invalid;
  return day < toDay(new Date()) ? messages.past : null;
}
