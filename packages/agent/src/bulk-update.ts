import {
  type BulkUpdateResponse,
  CORE_SLUG,
  type Inventory,
  type ItemUpdateResult,
  type UpdateItem,
  type UpdateItemType,
} from '@steward/contract';
import { isManagementPlugin, type Platform } from './platform.ts';
import { getErrorMessage } from './update-item.ts';
import { updateSelectedItem } from './update-selected-item.ts';

type Failure = BulkUpdateResponse['errors'][number];

export type BulkUpdateOptions = {
  /** Null: every pending update. */
  items?: UpdateItem[] | null;
  /** True: the panel announced `result_details`. If `items` is set, the results always have the details. */
  panelReadsDetails?: boolean;
};

/** Updates the given items, or all pending updates. After a failed item, the next item follows. */
export async function runBulkUpdate(
  platform: Platform,
  reportInventory: () => Promise<void>,
  { items = null, panelReadsDetails = false }: BulkUpdateOptions = {},
): Promise<BulkUpdateResponse> {
  // List the pending updates before the first update, because an update may change the list.
  const installed = listInstalled(await platform.inventory());
  return runItems({
    platform,
    reportInventory,
    installed,
    items: items ?? listPending(platform, installed),
    hasDetails: panelReadsDetails || items !== null,
    run: (item, known) => updateSelectedItem(platform, item, known !== undefined),
  });
}

export type ItemCall<T extends ItemReference> = {
  platform: Platform;
  reportInventory: () => Promise<void>;
  /** The items of the site before the call. */
  installed: ListedItem[];
  items: T[];
  hasDetails: boolean;
  /** `known`: the same item in `installed`, or undefined if the site does not have it. */
  run(item: T, known: ListedItem | undefined): Promise<ItemUpdateResult>;
};

type ItemReference = { type: UpdateItemType; slug: string };

/** Runs the items one after the other and builds the response that all calls with items share. */
export async function runItems<T extends ItemReference>(
  call: ItemCall<T>,
): Promise<BulkUpdateResponse> {
  const { platform, installed, hasDetails } = call;
  const errors: Failure[] = [];

  async function runAll(type: UpdateItemType): Promise<ItemUpdateResult[]> {
    const results: ItemUpdateResult[] = [];
    for (const item of call.items.filter((candidate) => candidate.type === type)) {
      const { slug } = item;
      const known = installed.find((other) => other.type === type && other.slug === slug);
      const createFailure = (error: unknown): ItemUpdateResult => ({
        slug,
        // The version after an error is not known, so return the one from before the call.
        ...(known && { old_version: known.version }),
        new_version: known?.version ?? '',
        success: false,
        error: getErrorMessage(error),
      });
      const result = await call.run(item, known).catch(createFailure);
      const { old_version, rolled_back, ...withoutDetails } = result;
      const name = known?.name && { name: known.name };
      results.push(hasDetails ? { ...name, ...result } : withoutDetails);
      if (!result.success) {
        errors.push({ type, slug: type === 'core' ? null : slug, error: result.error ?? '' });
      }
    }
    return results;
  }

  const pluginResults = await runAll('plugin');
  const themeResults = await runAll('theme');
  const [coreResult] = await runAll('core');
  const translationResults = await runAll('translation');
  const success = errors.length === 0;

  for (const error of await refreshAndReport(platform, call.reportInventory)) {
    errors.push({ type: 'system', slug: null, error });
  }
  return {
    success,
    results: {
      plugins: pluginResults,
      themes: themeResults,
      core: coreResult ? toCoreResult(coreResult) : null,
      ...(translationResults.length > 0 && { translations: translationResults }),
    },
    errors,
  };
}

/** Core has no slug and no name; its error is in `errors` only. */
function toCoreResult({ new_version, success, code, old_version }: ItemUpdateResult) {
  return {
    new_version,
    success,
    ...(code !== undefined && { code }),
    ...(old_version !== undefined && { old_version }),
  };
}

export type ListedItem = {
  type: UpdateItemType;
  slug: string;
  name?: string;
  version: string;
  hasPendingUpdate: boolean;
  savedVersions: string[];
};

export function listInstalled({ plugins, themes, core }: Inventory): ListedItem[] {
  const describe = (item: Inventory['core'] & { saved_versions?: string[] }) => ({
    version: item.version,
    hasPendingUpdate: item.new_version !== undefined,
    savedVersions: item.saved_versions ?? [],
  });
  return [
    ...plugins.map((item) => ({
      type: 'plugin' as const,
      slug: item.plugin,
      name: item.name,
      ...describe(item),
    })),
    ...themes.map((item) => ({
      type: 'theme' as const,
      slug: item.slug,
      name: item.name,
      ...describe(item),
    })),
    { type: 'core', slug: CORE_SLUG, ...describe(core) },
  ];
}

function listPending(platform: Platform, installed: ListedItem[]): UpdateItem[] {
  const isManagement = ({ type, slug }: ListedItem) =>
    type === 'plugin' && isManagementPlugin(platform, slug);
  return installed
    .filter((item) => item.hasPendingUpdate && !isManagement(item))
    .map(({ type, slug }) => ({ type, slug }));
}

/**
 * Refreshes the update checks and reports the inventory. Runs both steps even when one fails, and returns
 * the error messages.
 */
export async function refreshAndReport(
  platform: Platform,
  reportInventory: () => Promise<void>,
): Promise<string[]> {
  const failures: string[] = [];
  for (const step of [() => platform.refreshUpdateChecks(), reportInventory]) {
    await step().catch((error) => failures.push(getErrorMessage(error)));
  }
  return failures;
}
