export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zones that this browser knows. `UTC` is missing in some browsers. */
export const listZones = (): string[] => [
  ...new Set(['UTC', browserZone(), ...Intl.supportedValuesOf('timeZone')]),
];
