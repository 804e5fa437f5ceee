import type { Part, SkipVariable } from './parts.ts';

export type Machine = { osRelease: string; isRoot: boolean; hasApt: boolean };

export type Plan =
  | { step: 'continue' }
  | { step: 'install'; packages: string[] }
  | { step: 'fail'; message: string };

const SKIP_HINTS: Record<SkipVariable, string> = {
  SKIP_WORDPRESS: 'SKIP_WORDPRESS=1 skips all tests that need PHP, MariaDB and WordPress.',
  SKIP_BROWSER: 'SKIP_BROWSER=1 skips all tests that need a browser.',
};

export function createPlan(missing: Part[], machine: Machine): Plan {
  if (missing.length === 0) return { step: 'continue' };
  if (isDebian(machine.osRelease) && machine.isRoot && machine.hasApt) {
    return { step: 'install', packages: missing.map((part) => part.package) };
  }
  return { step: 'fail', message: describeMissingForTests(missing) };
}

/** Lists the missing parts and the command that installs them. `subject` needs these parts. */
export function describeMissing(missing: Part[], subject: string): string {
  return [
    `${subject} need software that is not installed: ${missing.map(({ name }) => name).join(', ')}.`,
    'On Debian, run as root:',
    `  apt-get update && apt-get install -y --no-install-recommends ${missing.map((part) => part.package).join(' ')}`,
  ].join('\n');
}

export function describeMissingForTests(missing: Part[]): string {
  const skips = [...new Set(missing.flatMap(({ skippedBy }) => skippedBy ?? []))];
  return [
    describeMissing(missing, 'The tests'),
    ...(skips.length > 0 ? ['Or skip these tests:'] : []),
    ...skips.map((name) => `  ${SKIP_HINTS[name]}`),
  ].join('\n');
}

function isDebian(osRelease: string): boolean {
  return /^(ID|ID_LIKE)=.*\bdebian\b/m.test(osRelease);
}
