import type { Database } from '../../platform/database/handles.ts';
import { decideHolds, type HoldFinder } from './decide-holds.ts';
import {
  hasRulesOrQuarantine,
  type ItemVersion,
  readBackupTimes,
  readFirstSeen,
  readInstalledGroups,
  readSiteTags,
} from './hold-finder.repository.ts';
import { readOpenQuarantine } from './quarantine.repository.ts';
import { readRules } from './rules.repository.ts';

type Options = {
  now: Date;
  /** Ignores the rules: a task without a window keeps the rules of the time when its run was created. */
  onlyQuarantine?: boolean;
  /** The sites of which it reads only items with a pending update. `findInstalled` and `concernsReportedItem` know only these. */
  onlyPendingOf?: ReadonlySet<number>;
  /** The versions that a user requested. The sites may offer other versions. */
  requested?: { type: string; slug: string; version?: string | undefined }[];
};

/**
 * Reads the rules, the quarantine and the items of these sites, with a few queries for all sites together. Returns
 * null, after one cheap query, if no version can be held.
 */
export async function createHoldFinder(
  db: Database,
  siteIds: number[],
  { now, onlyQuarantine = false, onlyPendingOf = new Set(), requested = [] }: Options,
): Promise<HoldFinder | null> {
  if (siteIds.length === 0) return null;
  if (!onlyQuarantine && !(await hasRulesOrQuarantine(db))) return null;
  const quarantined = await readOpenQuarantine(db);
  const rules = onlyQuarantine ? [] : await readRules(db);
  if (quarantined.length === 0 && rules.length === 0) return null;
  const tagIds = [...new Set(rules.flatMap(({ tag_id }) => tag_id ?? []))];
  const tags = await readSiteTags(db, siteIds, tagIds);
  const groups = await readInstalledGroups(db, [...new Set(siteIds)], { onlyPendingOf });
  const firstSeen = await readFirstSeen(db, requested.filter(hasVersion));
  const needsBackups = rules.some(({ hours }) => hours);
  const backups = needsBackups ? await readBackupTimes(db, siteIds) : new Map();
  return decideHolds({ rules, quarantined, tags, groups, firstSeen, backups, now });
}

const hasVersion = (item: { type: string; version?: string | undefined }): item is ItemVersion =>
  item.version !== undefined && item.type !== 'translation';
