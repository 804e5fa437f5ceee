import { compareVersions } from './compare-versions.ts';
import type { SoftwareType } from './schemas/panel-sites-api.ts';

/** Whether one version comes after another, in the order of PHP: 1.10 is newer than 1.9. */
export function isNewerVersion(candidate: string, current: string): boolean {
  return compareVersions(candidate, current) > 0;
}

export const VERSION_STEPS = ['patch', 'minor', 'major'] as const;
export type VersionStep = (typeof VERSION_STEPS)[number];

/**
 * How far apart two versions are: the first number that differs decides, and a missing number is 0, so 6.1 → 6.1.1 is
 * a patch and 5.9 → 5.10 is minor. For core, WordPress counts a change of one of the first two numbers as a major
 * release. A step to a pre-release, or from or to a version without a number, is major: its numbers promise nothing.
 */
export function versionStep(oldVersion: string, newVersion: string, type?: SoftwareType) {
  const [before, after] = [numbersOf(oldVersion), numbersOf(newVersion)];
  if (before === null || after === null) return 'major' satisfies VersionStep;
  if (isPreRelease(newVersion) && !isPreRelease(oldVersion)) return 'major';
  const differs = (at: number) => (before[at] ?? 0n) !== (after[at] ?? 0n);
  if (differs(0)) return 'major';
  if (differs(1)) return type === 'core' ? 'major' : 'minor';
  return 'patch';
}

/** The numbers at the start of a version, such as 1 and 2 of `v1.2-beta3`; null if it does not start with one. */
function numbersOf(version: string): bigint[] | null {
  const numbers = /^\s*v?\s*(\d+(?:\.\d+)*)/i.exec(version)?.[1];
  return numbers?.split('.').map((text) => BigInt(text)) ?? null;
}

function isPreRelease(version: string): boolean {
  return /^\s*v?\s*[\d.]*[-_+. ]*(dev|alpha|a|beta|b|rc)(?![a-z])/i.test(version);
}
