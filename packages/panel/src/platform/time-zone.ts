/** How WordPress writes an offset: "+02:00". */
export const OFFSET = /^[+-](?:0\d|1[0-4]):[0-5]\d$/;

/** Whether times can be computed in this zone: a name of the IANA database, or an offset such as "+02:00". */
export function isTimeZone(zone: string): boolean {
  // Intl also knows other notations of offsets.
  if (/^[+-]/.test(zone)) return OFFSET.test(zone);
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
