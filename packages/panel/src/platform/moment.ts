const MOMENT =
  /^((?:19|20|21)\d{2}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A day (from its first moment, in UTC) or a moment with its offset; null for anything else. */
export function parseMoment(text: string): Date | null {
  const [, day] = MOMENT.exec(text) ?? [];
  const date = new Date(text);
  // The day alone, there and back: Date quietly moves a 30 February to March.
  const isInCalendar = day !== undefined && new Date(day).toJSON()?.startsWith(day);
  return isInCalendar && !Number.isNaN(date.getTime()) ? date : null;
}
