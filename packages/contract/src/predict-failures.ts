import {
  describeDiskSpace,
  describeFolder,
  describeMissingPlugins,
  describeOldCms,
  describeOldPhp,
  PREFLIGHT_REASONS,
  type PreflightReason,
  type UncheckedReason,
} from './preflight-reasons.ts';
import type { FileChanges, PreflightItemType } from './schemas/preflight-report.ts';
import type { RemoteObstacle } from './site-status.ts';
import { isNewerVersion } from './version-order.ts';

/** A report that is older than this predicts nothing for certain. Sites report twice a day. */
export const REPORT_VALID_HOURS = 24;
/** The disk space for the download, the unpacked files and the new version, as a multiple of the package size. */
const SPACE_PER_PACKAGE = 3;
/** Assumed for an update whose package size is unknown. */
const ASSUMED_BYTES = 50 * 1024 ** 2;
/** A site refuses any update if less is free. */
const FULL_DISK_BYTES = 1024 ** 2;

/** What the panel stores of the last report with a preflight. */
export type StoredPreflight = {
  remote_enabled?: boolean;
  file_changes?: FileChanges;
  not_writable?: UnwritableFolder[];
  free_bytes?: number | null;
  locked?: boolean;
  items: StoredRequirement[];
};

export type UnwritableFolder = {
  type: PreflightItemType;
  folder: string;
  /** True: only active items fail. WordPress writes its maintenance file only for them. */
  active_only?: boolean;
};

export type StoredRequirement = {
  type: PreflightItemType;
  slug: string;
  /** The offered version. The requirements are valid for this version only. */
  version: string;
  requires_php?: string;
  requires?: string;
  /** The required plugins that are not active. */
  missing_plugins?: string[];
  package_bytes?: number;
};

/** A pending update that the run would install. */
export type PendingItem = {
  type: PreflightItemType;
  slug: string;
  name: string;
  version: string;
  active: boolean;
};

export type PreflightFacts = {
  obstacle: RemoteObstacle | null;
  /** The error of the last call, if it did not reach the site. */
  unreachable: string | null;
  phpVersion: string;
  cmsVersion: string;
  report: StoredPreflight | null;
  reportedAt: Date | null;
  pending: PendingItem[];
};

export type PreflightFinding = {
  reason: PreflightReason;
  isCertain: boolean;
  error: string;
  /** The items that would fail. Empty: all of them. */
  items: PendingItem[];
};

/** Predicts from stored reports why updates of a site would fail. */
export function predictFailures(facts: PreflightFacts, now: Date): PreflightFinding[] {
  const { obstacle, unreachable, report, pending } = facts;
  if (obstacle !== null) {
    // The panel decides this itself, so it does not depend on the age of the report.
    return [createFinding(obstacle === 'remote_off' ? 'remote_disabled' : 'site_not_active', true)];
  }
  const isReportRecent = findUncheckedReason(facts, now) === null;
  const findings: PreflightFinding[] = [];
  if (unreachable !== null) findings.push(createFinding('not_reachable', false, unreachable));
  if (!report) return findings;
  if (report.remote_enabled === false)
    findings.push(createFinding('remote_disabled', isReportRecent));
  if (report.file_changes === 'disabled')
    findings.push(createFinding('file_changes_disabled', isReportRecent));
  if (report.locked) findings.push(createFinding('site_busy', false));
  return [
    ...findings,
    ...predictFolderFailures(report, pending, isReportRecent),
    ...pending.flatMap((item) => predictRequirementFailure(item, facts, isReportRecent)),
    ...predictDiskFailure(report, pending, isReportRecent),
  ];
}

/** Returns null if the last report is recent enough for a certain prediction. */
export function findUncheckedReason(
  { report, reportedAt }: Pick<PreflightFacts, 'report' | 'reportedAt'>,
  now: Date,
): UncheckedReason | null {
  if (!report || !reportedAt) return 'report_missing';
  const ageHours = (now.getTime() - reportedAt.getTime()) / 3_600_000;
  return ageHours > REPORT_VALID_HOURS ? 'report_old' : null;
}

/** Whether the site would install none of the chosen updates, if these findings are right. */
export function wouldFailCompletely(
  findings: readonly PreflightFinding[],
  pending: readonly PendingItem[],
): boolean {
  if (findings.some(({ items }) => items.length === 0)) return true;
  const failing = new Set(findings.flatMap(({ items }) => items.map(toKey)));
  return pending.length > 0 && pending.every((item) => failing.has(toKey(item)));
}

function predictFolderFailures(
  { file_changes, not_writable = [] }: StoredPreflight,
  pending: PendingItem[],
  isReportRecent: boolean,
): PreflightFinding[] {
  if (file_changes !== 'not_writable') return [];
  const byFolder = Map.groupBy(not_writable, ({ folder }) => folder);
  return [...byFolder].flatMap(([folder, entries]) => {
    const items = pending.filter((item) =>
      entries.some(({ type, active_only }) => type === item.type && (item.active || !active_only)),
    );
    if (items.length === 0) return [];
    return [
      { ...createFinding('folder_not_writable', isReportRecent, describeFolder(folder)), items },
    ];
  });
}

function predictRequirementFailure(
  item: PendingItem,
  { report, phpVersion, cmsVersion }: PreflightFacts,
  isReportRecent: boolean,
): PreflightFinding[] {
  const requirement = findRequirement(report, item);
  if (!requirement) return [];
  const { requires_php, requires, missing_plugins = [] } = requirement;
  const create = (reason: PreflightReason, error: string) => [
    { ...createFinding(reason, isReportRecent, error), items: [item] },
  ];
  // In the order of the site, which reports only the first problem.
  if (requires_php !== undefined && isTooOld(phpVersion, requires_php)) {
    return create('php_too_old', describeOldPhp(requires_php, phpVersion));
  }
  if (requires !== undefined && isTooOld(cmsVersion, requires)) {
    return create('cms_too_old', describeOldCms(requires, cmsVersion));
  }
  if (missing_plugins.length > 0) {
    return create('plugin_missing', describeMissingPlugins(missing_plugins));
  }
  return [];
}

/** Certain only if the disk is full or all package sizes are known. In other cases the needed space is an estimate. */
function predictDiskFailure(
  report: StoredPreflight,
  pending: PendingItem[],
  isReportRecent: boolean,
): PreflightFinding[] {
  const { free_bytes: free } = report;
  if (free === undefined || free === null || pending.length === 0) return [];
  const sizes = pending.map((item) => findRequirement(report, item)?.package_bytes);
  const isKnown = sizes.every((size) => size !== undefined);
  // A site installs one item after the other and deletes its temporary files, so only the largest item counts.
  const needed = Math.max(
    ...sizes.map((size) => (size === undefined ? ASSUMED_BYTES : size * SPACE_PER_PACKAGE)),
  );
  if (free >= needed) return [];
  const isCertain = isReportRecent && (free < FULL_DISK_BYTES || isKnown);
  return [createFinding('disk_full', isCertain, describeDiskSpace(needed, free))];
}

const findRequirement = (report: StoredPreflight | null, item: PendingItem) =>
  report?.items.find((each) => toKey(each) === toKey(item) && each.version === item.version);

/** A version of another platform, such as `node-24.0`, is not comparable, so it meets every requirement. */
export function isTooOld(installed: string, required: string): boolean {
  if (!/^\d/.test(installed) || !/^\d/.test(required)) return false;
  // A development version such as 6.9-beta1 counts as 6.9, as in WordPress.
  return isNewerVersion(removeZeros(required), removeZeros(installed.replace(/-.*$/, '')));
}

/** Required 6.5.0 is met by 6.5. */
const removeZeros = (version: string) => version.replace(/(\.0)+$/, '');

const toKey = ({ type, slug }: { type: string; slug: string }) => `${type} ${slug}`;

function createFinding(
  reason: PreflightReason,
  isCertain: boolean,
  error: string = PREFLIGHT_REASONS[reason],
): PreflightFinding {
  return { reason, isCertain, error, items: [] };
}
