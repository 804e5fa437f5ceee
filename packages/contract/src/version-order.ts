/** Whether one version comes after another, number by number: 1.10 is newer than 1.9. */
export function isNewerVersion(candidate: string, current: string): boolean {
  const [a, b] = [partsOf(candidate), partsOf(current)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = rankOf(a[at]) - rankOf(b[at]) || compareText(a[at], b[at]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function partsOf(version: string): string[] {
  return version.toLowerCase().match(/\d+|[a-z]+/g) ?? [];
}

/** A word (alpha, rc) comes before the release; the release comes before any further number. */
function rankOf(part: string | undefined): number {
  if (part === undefined) return 0;
  return /^\d/.test(part) ? Number(part) + 1 : -1;
}

function compareText(a = '', b = ''): number {
  return /^\d/.test(a) || /^\d/.test(b) ? 0 : a.localeCompare(b);
}
