import type { OfferedItem, Preflight, UpdateItem, UpdatePreview } from '@steward/contract';
import type { CommandContext } from '../command-context.ts';
import type { PanelApi } from '../panel-api/panel-api.ts';
import {
  countSites,
  listVersions,
  printSkipped,
  SKIP_TEXTS,
  type SkippedSites,
} from './print-preview.ts';
import type { RunPlan } from './start-run.ts';

export type UpdateChoice = {
  /** Absent: all pending updates. */
  includesItem?: (item: OfferedItem) => boolean;
  /** The items that the user named. Each must match an update that a site offers. */
  namedItems?: NamedItem[];
  /** Also updates the sites on which every chosen update would fail. */
  includesFailing: boolean;
};

type NamedItem = { name: string; matches: (item: OfferedItem) => boolean };

/** Plans an update, with the same choice of sites and items as the update dialog of the screens. */
export async function planUpdate(
  api: PanelApi,
  siteIds: number[],
  { includesItem, namedItems = [], includesFailing }: UpdateChoice,
): Promise<RunPlan> {
  if (siteIds.length === 0) {
    assertOffered(namedItems, null);
    return NOTHING_TO_UPDATE;
  }
  const preview = await api.previewUpdate(siteIds);
  assertOffered(namedItems, preview);
  const offered = preview.to_update.items.filter((item) => includesItem?.(item) ?? true);
  const chosen = offered.filter(({ hold }) => !hold);
  const items = includesItem && chosen.map(({ type, slug, version }) => ({ type, slug, version }));
  const candidates = includesItem
    ? [...new Set(chosen.flatMap((item) => item.site_ids))]
    : preview.to_update.site_ids;
  const prediction = await predict(api, candidates, items);
  const failing = new Set(includesFailing ? [] : (prediction?.certain_site_ids ?? []));
  const isIncluded = (id: number) => !failing.has(id);
  const included = candidates.filter(isIncluded);
  const { to_update, items_unsupported } = preview;
  // The items do not contain the updates of sites whose Steward plugin is too old to install a choice.
  const updatesCore =
    chosen.some(({ type, site_ids }) => type === 'core' && site_ids.some(isIncluded)) ||
    (!includesItem && to_update.pending.core > 0 && items_unsupported.site_ids.some(isIncluded));
  return {
    siteIds: included,
    question: `Update ${countSites(included.length)}?`,
    preview: {
      ...{ site_ids: included, items: offered, skipped: preview.skipped, held: preview.held },
      failing_site_ids: [...failing],
      items_unsupported: includesItem ? preview.items_unsupported : NO_SITES,
      not_found: preview.not_found,
    },
    print(context) {
      printItems(context, offered);
      const skipped = listSkipped(preview, { hasChoice: includesItem !== undefined });
      if (included.length > 0) printIncluded(context, included.length, updatesCore);
      else context.printLine(skipped.count > 0 ? 'No update can run now.' : NOTHING);
      printSkipped(context, skipped, preview.not_found);
      if (prediction) printFailing(context, prediction, failing);
    },
    start: (panel) => panel.update({ site_ids: included, ...(items && { items }) }),
  };
}

/** A misspelt name or version must not look like sites that are up to date. */
function assertOffered(namedItems: NamedItem[], preview: UpdatePreview | null): void {
  const offered = preview?.to_update.items ?? [];
  const missing = namedItems.find(({ matches }) => !offered.some(matches));
  if (!missing) return;
  const skipped = preview ? listSkipped(preview, { hasChoice: true }).count : 0;
  const advice =
    skipped > 0
      ? `${countSites(skipped)} skipped; leave out --item to see why.`
      : 'Check its name and version with steward site show.';
  throw new Error(`No chosen site offers the update ${missing.name}. ${advice}`);
}

const NO_SITES = { site_ids: [], sites: [] };

const NOTHING = 'There is nothing to update.';

const NOTHING_TO_UPDATE: RunPlan = {
  ...{ siteIds: [], question: '', preview: { site_ids: [] } },
  print: ({ printLine }) => printLine(NOTHING),
  start: () => Promise.reject(new Error(NOTHING)),
};

function predict(
  api: PanelApi,
  siteIds: number[],
  items?: UpdateItem[],
): Promise<Preflight> | null {
  if (siteIds.length === 0) return null;
  return api.predictFailures({ site_ids: siteIds, ...(items && { items }) });
}

function printItems({ printTable, printLine }: CommandContext, items: OfferedItem[]): void {
  const [held, free] = [items.filter(({ hold }) => hold), items.filter(({ hold }) => !hold)];
  if (free.length > 0) {
    printTable(
      ['UPDATE', 'TYPE', 'FROM', 'TO', 'SITES'],
      free.map(({ name, slug, type, old_versions, version, site_ids }) => [
        `${name} (${slug})`,
        ...[type, listVersions(old_versions), version, String(site_ids.length)],
      ]),
    );
  }
  for (const { name, version, site_ids, hold } of held) {
    printLine(`${name} ${version} on ${countSites(site_ids.length)}: ${hold?.explanation ?? ''}`);
  }
}

function printIncluded({ printLine }: CommandContext, sites: number, updatesCore: boolean): void {
  printLine(`${countSites(sites)} will be updated, based on the last sync.`);
  if (updatesCore) printLine('A core update cannot be rolled back. Back up each site first.');
}

/** Sites whose Steward plugin is too old would install every pending update, so a choice of items skips them. */
function listSkipped(preview: UpdatePreview, { hasChoice }: { hasChoice: boolean }): SkippedSites {
  const { skipped, held, items_unsupported } = preview;
  const unsupported = hasChoice ? items_unsupported : NO_SITES;
  return {
    count: skipped.count + held.count + unsupported.site_ids.length,
    sites: [
      ...skipped.sites.map(({ name, status }) => ({ name, reason: SKIP_TEXTS[status] })),
      ...held.sites.map(({ name, explanation }) => ({ name, reason: explanation })),
      ...unsupported.sites.map(({ name }) => ({ name, reason: SKIP_TEXTS.items_unsupported })),
    ],
  };
}

function printFailing(context: CommandContext, prediction: Preflight, failing: Set<number>): void {
  const { printLine } = context;
  for (const { message, site_ids, partial_site_ids, is_certain, sites } of prediction.groups) {
    const count = site_ids.length + partial_site_ids.length;
    const names = sites.slice(0, 5).map(({ name }) => name);
    const more = count > names.length ? ` and ${count - names.length} more` : '';
    printLine(`${is_certain ? 'Would' : 'May'} fail: ${message} ${names.join(', ')}${more}`);
  }
  if (failing.size > 0) {
    printLine(
      `Left out because every update would fail: ${countSites(failing.size)}. To update there anyway: --include-failing`,
    );
  }
}
