/** Formats for numbers and times, in English and in the time zone of the browser. */

const numberFormat = new Intl.NumberFormat('en');
export const formatNumber = (value: number): string => numberFormat.format(value);

/** `count(1, 'site')` is "1 site", `count(1200, 'site')` is "1,200 sites". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

const timestampFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
export const formatTimestamp = (iso: string): string => timestampFormat.format(new Date(iso));
export const formatDay = (iso: string): string => dayFormat.format(new Date(iso));

const utcDayFormat = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
/** For dates in UTC, such as `2026-06-01`. */
export const formatUtcDay = (day: string): string => utcDayFormat.format(new Date(day));

const UNITS: [seconds: number, unit: string][] = [
  [365 * 86_400, 'y'],
  [30 * 86_400, 'mo'],
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
];

/** "240 ms", "1.2 s". */
export const formatMilliseconds = (milliseconds: number): string =>
  milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${numberFormat.format(Math.round(milliseconds / 100) / 10)} s`;

/** The clocks of the browser and the panel may differ a little: the panel has just stored such a time. */
const CLOCK_DIFFERENCE_SECONDS = 5;

/** "4 min ago", "in 3 d", "just now", "in less than a minute". */
export function formatRelativeTime(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const unit = UNITS.find(([size]) => Math.abs(seconds) >= size);
  if (!unit) return seconds > CLOCK_DIFFERENCE_SECONDS ? 'in less than a minute' : 'just now';
  const amount = `${Math.floor(Math.abs(seconds) / unit[0])} ${unit[1]}`;
  return seconds < 0 ? `${amount} ago` : `in ${amount}`;
}

/** "42 s", "3 min 5 s", "1 h 4 min". */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
