const ISO_TIME =
  /^((?:19|20|21)\d{2}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Parses a date (00:00 UTC) or a date and time with offset; null for anything else. */
export function parseIsoTime(text: string): Date | null {
  const [, day] = ISO_TIME.exec(text) ?? [];
  const date = new Date(text);
  // Compares with the formatted date, because `Date` silently turns 30 February into March.
  const isInCalendar = day !== undefined && new Date(day).toJSON()?.startsWith(day);
  return isInCalendar && !Number.isNaN(date.getTime()) ? date : null;
}

/** Like `parseIsoTime`, but a date is the last valid day, which ends at 23:59:59 UTC. */
export function parseExpiryTime(text: string): Date | null {
  return parseIsoTime(text.includes('T') ? text : `${text}T23:59:59Z`);
}
