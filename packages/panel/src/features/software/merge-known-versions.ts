import { compareVersions, type KnownVersion } from '@steward/contract';
import type { CountedVersion, SavedVersionCount } from './known-versions.repository.ts';

type Sources = { counted: CountedVersion[]; saved: SavedVersionCount[]; packages: string[] };

/** Joins what is known about each version, the newest version first. */
export function mergeKnownVersions({ counted, saved, packages }: Sources): KnownVersion[] {
  const versions = new Map<string, KnownVersion>();
  const change = (version: string, fields: Partial<KnownVersion>) =>
    versions.set(version, { ...(versions.get(version) ?? unknown(version)), ...fields });
  for (const { version, ...counts } of counted) change(version, counts);
  for (const { version, saved_sites } of saved) change(version, { saved_sites });
  for (const version of packages) change(version, { has_package: true });
  return [...versions.values()].sort(
    (a, b) => compareVersions(b.version, a.version) || a.version.localeCompare(b.version),
  );
}

const unknown = (version: string): KnownVersion => ({
  ...{ version, installed_sites: 0, offered_sites: 0, saved_sites: 0, has_package: false },
});
