import { AppError } from '../../platform/app-error.ts';
import { parseExpiryTime } from '../../platform/parse-iso-time.ts';

export function parseExpiry(text: string | null): Date | null {
  if (text === null) return null;
  const time = parseExpiryTime(text);
  if (time) return time;
  throw new AppError('invalid_request', {
    message:
      'expires_at must be null, a date (2027-01-31) or a date and time (2027-01-31T12:00:00Z).',
  });
}
