export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zones that this browser knows. `UTC` is missing in some browsers. */
export const listZones = (): string[] => [
  ...new Set(['UTC', browserZone(), ...Intl.supportedValuesOf('timeZone')]),
];

/** Formats a time in a zone; by default in that of the browser. A zone that the browser does not know counts as UTC. */
export function formatInZone(
  at: Date,
  format: Intl.DateTimeFormatOptions,
  timeZone: string = browserZone(),
): string {
  return createZoneFormat(format, timeZone).format(at);
}

export function createZoneFormat(
  format: Intl.DateTimeFormatOptions,
  timeZone: string,
): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', { ...format, timeZone });
  } catch {
    return new Intl.DateTimeFormat('en', { ...format, timeZone: 'UTC' });
  }
}
