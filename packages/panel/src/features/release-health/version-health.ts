import { describeFailingVersion, type VersionHealth, type VersionWarning } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import type { ItemReference } from './tables.ts';
import {
  countErrors,
  countFailing,
  countInstalled,
  countReporting,
  findFailingVersions,
  type HealthQuery,
  listCommonFacts,
  listErrorDays,
} from './version-health.repository.ts';

/** One failing site has most of its properties alone. */
const MIN_FAILING_SITES = 2;
/** The versions of an item for which the failing sites are compared with the others: those that fail on most sites. */
const COMPARED_VERSIONS_MAX = 3;

/** Reads the health of the versions of an item. `installed`: the sites of the scope that have each version. */
export async function readVersionHealth(
  db: Database,
  query: HealthQuery,
  installed: { version: string; sites: number }[],
): Promise<(version: string) => VersionHealth> {
  const toMap = (rows: { version: string; sites: number }[]) =>
    new Map(rows.map(({ version, sites }) => [version, sites]));
  const sites = toMap(installed);
  const reporting = toMap(await countReporting(db, query));
  const errors = new Map((await countErrors(db, query)).map((row) => [row.version, row]));
  // Most items have no errors, so they need no further query.
  const days = errors.size > 0 ? await listErrorDays(db, query) : [];
  const failing = errors.size > 0 ? toMap(await countFailing(db, query)) : new Map();
  const daysOf = Map.groupBy(days, ({ version }) => version);
  const facts = new Map<string, VersionHealth['common_facts']>();
  for (const version of chooseCompared(failing)) {
    facts.set(version, await listCommonFacts(db, { ...query, versions: [version] }));
  }
  return (version) => {
    const counted = errors.get(version);
    const withErrors = counted?.sites_with_errors ?? 0;
    const sitesReporting = (reporting.get(version) ?? 0) + (counted?.sites_not_reporting ?? 0);
    return {
      sites: (sites.get(version) ?? 0) + (counted?.sites_gone ?? 0),
      sites_reporting: sitesReporting,
      sites_with_errors: withErrors,
      sites_failing: failing.get(version) ?? 0,
      errors: counted?.errors ?? 0,
      error_free_percent:
        sitesReporting === 0
          ? null
          : Math.round(((sitesReporting - withErrors) / sitesReporting) * 1000) / 10,
      common_facts: facts.get(version) ?? [],
      days: (daysOf.get(version) ?? []).map(({ version: _, ...day }) => day),
    };
  };
}

const chooseCompared = (failing: Map<string, number>) =>
  [...failing]
    .filter(([, sites]) => sites >= MIN_FAILING_SITES)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, COMPARED_VERSIONS_MAX)
    .map(([version]) => version);

type OfferedVersion = ItemReference & { name: string; version: string };

/** Warns of the versions that fail on other sites of the scope. */
export async function readVersionWarnings(
  db: Database,
  items: OfferedVersion[],
  { scope, now }: Pick<HealthQuery, 'scope' | 'now'>,
): Promise<VersionWarning[]> {
  const warnings: VersionWarning[] = [];
  for (const { type, slug, name, version } of await findFailingVersions(db, scope, items)) {
    const query = { type, slug, scope, now, versions: [version] };
    const read = await readVersionHealth(db, query, await countInstalled(db, query));
    const { sites, sites_failing, common_facts } = read(version);
    const message = describeFailingVersion({ version, sites, sites_failing, common_facts });
    warnings.push({ type, slug, name, version, sites, sites_failing, common_facts, message });
  }
  return warnings;
}
