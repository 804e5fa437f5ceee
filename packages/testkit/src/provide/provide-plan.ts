import type { Part, SkipVariable } from './parts.ts';

export type Machine = { osRelease: string; isRoot: boolean; hasApt: boolean };

export type Plan =
  | { step: 'go on' }
  | { step: 'install'; packages: string[] }
  | { step: 'give up'; message: string };

const WAYS_OUT: Record<SkipVariable, string> = {
  SKIP_WORDPRESS: 'SKIP_WORDPRESS=1 leaves out all tests that need PHP, MariaDB and WordPress.',
  SKIP_BROWSER: 'SKIP_BROWSER=1 leaves out all tests that need a browser.',
};

export function planFor(missing: Part[], machine: Machine): Plan {
  if (missing.length === 0) return { step: 'go on' };
  if (isDebian(machine.osRelease) && machine.isRoot && machine.hasApt) {
    return { step: 'install', packages: missing.map((part) => part.package) };
  }
  return { step: 'give up', message: whatIsMissing(missing) };
}

/** Which parts, and the command that brings them. */
export function missingAndRemedy(missing: Part[], who: string): string {
  return [
    `${who} need what is not here: ${missing.map(({ what }) => what).join(', ')}.`,
    'On Debian, as root:',
    `  apt-get update && apt-get install -y --no-install-recommends ${missing.map((part) => part.package).join(' ')}`,
  ].join('\n');
}

export function whatIsMissing(missing: Part[]): string {
  const skips = [...new Set(missing.map(({ skippedBy }) => skippedBy))];
  return [
    missingAndRemedy(missing, 'The tests'),
    'Or without them:',
    ...skips.map((name) => `  ${WAYS_OUT[name]}`),
  ].join('\n');
}

function isDebian(osRelease: string): boolean {
  return /^(ID|ID_LIKE)=.*\bdebian\b/m.test(osRelease);
}
