/** Days in the time zone of the browser, as `YYYY-MM-DD`. */

export function toDay(time: Date): string {
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
}

export function daysBefore(time: Date, days: number): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() - days);
}
