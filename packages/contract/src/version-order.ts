import { compareVersions } from './compare-versions.ts';
import type { SoftwareType } from './schemas/panel-sites-api.ts';

/** Whether one version comes after another, in the order of PHP: 1.10 is newer than 1.9. */
export function isNewerVersion(candidate: string, current: string): boolean {
  return compareVersions(candidate, current) > 0;
}

/**
 * Whether two spellings mean one version: surrounding whitespace and trailing `.0` do not count. The offer of a vendor
 * often says 2.0.0 and the header of its package 2.0. The WordPress plugin has the same rule in `Versions.php`; shared
 * test vectors: `vectors/same-versions.json`.
 */
export function isSameVersion(one: string, other: string): boolean {
  return compareVersions(removeTrailingZeros(one), removeTrailingZeros(other)) === 0;
}

/** Whether a version is newer than another one, and not only another spelling of it. */
export function isVersionAbove(version: string, limit: string): boolean {
  // Compare with the zeros: without them, 2.0-beta would be newer than 2.
  return !isSameVersion(version, limit) && compareVersions(version.trim(), limit.trim()) > 0;
}

/** Trims the characters that PHP trims. */
function removeTrailingZeros(version: string): string {
  return version.replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, '').replace(/(\.0)+$/, '');
}

export const VERSION_STEPS = ['patch', 'minor', 'major'] as const;
export type VersionStep = (typeof VERSION_STEPS)[number];

/**
 * How far apart two versions are: the first number that differs decides, and a missing number is 0, so 6.1 → 6.1.1 is
 * a patch and 5.9 → 5.10 is minor. For core, WordPress counts a change of one of the first two numbers as a major
 * release. A step from a release to a pre-release, or from or to a version without a number, is major: its numbers promise
 * nothing.
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
