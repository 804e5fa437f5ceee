/**
 * People choose the last day on which a license works; the panel keeps the moment at which it ends.
 * Both in the reader's time zone.
 */

export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

export function dayOf(moment: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** Typed dates reach this far before they are whole: year 2 of our era on the way to 2027. */
export function dayFault(day: string): string | null {
  if (!/^2\d{3}-\d{2}-\d{2}$/.test(day)) return 'Choose a day, or never.';
  return day < dayOf(new Date()) ? 'Choose a day that is not over yet.' : null;
}
