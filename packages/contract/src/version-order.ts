/** Compares number by number: 1.10 is newer than 1.9. */
export function isNewerVersion(candidate: string, current: string): boolean {
  const [a, b] = [partsOf(candidate), partsOf(current)];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = rankOf(a[index]) - rankOf(b[index]) || compareText(a[index], b[index]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function partsOf(version: string): string[] {
  return version.toLowerCase().match(/\d+|[a-z]+/g) ?? [];
}

/** Orders the next part of a version: a word (1.0-rc), then no part (1.0), then a number (1.0.1). */
function rankOf(part: string | undefined): number {
  if (part === undefined) return 0;
  return /^\d/.test(part) ? Number(part) + 1 : -1;
}

function compareText(a = '', b = ''): number {
  return /^\d/.test(a) || /^\d/.test(b) ? 0 : a.localeCompare(b);
}
