import { isNewerVersion, TOP_VERSIONS, type VersionsInUse } from '@steward/contract';
import type { PhpVersionCount } from './overview.repository.ts';

/**
 * `sites` includes the sites whose version is not readable; the other fields leave them out. Returns null if no version
 * is readable.
 */
export function summarizePhpVersions(counts: PhpVersionCount[]): VersionsInUse | null {
  const known = counts.flatMap(({ version, sites }) =>
    version === null ? [] : [{ version, sites }],
  );
  const [first, ...others] = known.toSorted((a, b) => b.sites - a.sites);
  if (!first) return null;
  return {
    sites: counts.reduce((total, { sites }) => total + sites, 0),
    newest_version: others.reduce(
      (newest, { version }) => (isNewerVersion(version, newest) ? version : newest),
      first.version,
    ),
    versions: [first, ...others].slice(0, TOP_VERSIONS),
    other_versions: Math.max(0, known.length - TOP_VERSIONS),
  };
}
