import { type CreateClientRequest, EMAIL_PATTERN, parseLabel } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import { isTimeZone } from '../../platform/time-zone.ts';
import type { ClientFields } from './clients.repository.ts';

/** Checks the fields of a request. A field that was not sent is not in the result. */
export function parseClientFields(request: Partial<CreateClientRequest>): Partial<ClientFields> {
  const { name, contact_name, contact_email, time_zone } = request;
  return {
    ...(name !== undefined && { name: parseName('name', name) ?? missing('name') }),
    ...(contact_name !== undefined && { contact_name: parseName('contact_name', contact_name) }),
    ...(contact_email !== undefined && { contact_email: parseEmail(contact_email) }),
    ...(time_zone !== undefined && { time_zone: parseTimeZone(time_zone) }),
  };
}

const invalid = (message: string) => new AppError('invalid_request', { message });

function missing(field: string): never {
  throw invalid(`${field} must not be empty.`);
}

/** Null and an empty text are no name. */
export function parseName(field: string, text: string | null): string | null {
  if (text === null) return null;
  const name = parseLabel(text);
  if (name !== null) return name === '' ? null : name;
  throw invalid(
    `${field} must not contain line breaks or characters that change the direction of writing. Type the name again without them.`,
  );
}

function parseEmail(text: string | null): string | null {
  const email = text?.trim() ?? '';
  if (email === '') return null;
  if (new RegExp(EMAIL_PATTERN).test(email)) return email;
  throw invalid('contact_email must be an e-mail address, such as anna@example.com.');
}

function parseTimeZone(zone: string): string {
  // Offsets have no daylight saving time, and other tools do not know them.
  if (isTimeZone(zone) && !/^[+-]/.test(zone)) return zone;
  throw invalid(`Unknown time zone: ${zone}. Use a name such as Europe/Berlin.`);
}
