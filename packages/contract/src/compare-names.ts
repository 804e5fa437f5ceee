const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'accent' });

/** Sorts names as people read them: studio-3 before studio-23, and Studio-3 beside studio-3. The lists of the panel do the same. */
export function compareNames(a: string, b: string): number {
  return natural.compare(a, b) || (a < b ? -1 : Number(a > b));
}
