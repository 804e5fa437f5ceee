import type { BulkUpdateResponse, ItemUpdateResult } from '@steward/contract';
import { CORE, type ItemKind, isManagementPlugin, type Platform } from './platform.ts';

type Failure = BulkUpdateResponse['errors'][number];

/** Runs every pending update. A failed item never stops the others. */
export async function runBulkUpdate(
  platform: Platform,
  reportInventory: () => Promise<void>,
): Promise<BulkUpdateResponse> {
  const errors: Failure[] = [];
  const { plugins, themes, core } = await platform.inventory();
  const versionBefore = new Map<string, string>([
    ...plugins.map((item) => [item.plugin, item.version] as const),
    ...themes.map((item) => [item.slug, item.version] as const),
    [CORE, core.version],
  ]);

  async function updateAll(kind: ItemKind, slugs: string[]): Promise<ItemUpdateResult[]> {
    const results: ItemUpdateResult[] = [];
    for (const slug of slugs) {
      const result = await updateItem(platform, kind, slug).catch((error) => ({
        slug,
        // The item cannot be read, so return its version from before the update.
        new_version: versionBefore.get(slug) ?? '',
        success: false,
        error: getErrorMessage(error),
      }));
      results.push(result);
      if (!result.success) {
        errors.push({ type: kind, slug: kind === 'core' ? null : slug, error: result.error ?? '' });
      }
    }
    return results;
  }

  const isPending = (item: { new_version?: string }) => item.new_version !== undefined;
  // List the pending updates before the first update, because an update may change the list.
  const outdatedPlugins = plugins
    .filter((item) => isPending(item) && !isManagementPlugin(platform, item.plugin))
    .map((item) => item.plugin);
  const pluginResults = await updateAll('plugin', outdatedPlugins);
  const themeResults = await updateAll(
    'theme',
    themes.filter(isPending).map((item) => item.slug),
  );
  const [coreResult] = await updateAll('core', isPending(core) ? [CORE] : []);
  const success = errors.length === 0;

  for (const error of await refreshAndReport(platform, reportInventory)) {
    errors.push({ type: 'system', slug: null, error });
  }
  return {
    success,
    results: {
      plugins: pluginResults,
      themes: themeResults,
      core: coreResult
        ? { new_version: coreResult.new_version, success: coreResult.success }
        : null,
    },
    errors,
  };
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

/** Updates one item. The update succeeded only if the platform then reports the expected version. */
export async function updateItem(
  platform: Platform,
  kind: ItemKind,
  slug: string,
): Promise<ItemUpdateResult> {
  const itemBefore = await platform.find(kind, slug);
  const expectedVersion = itemBefore?.newVersion;
  let failure = await captureError(() => platform.update(kind, slug));
  const itemAfter = await platform.find(kind, slug);

  if (!failure && itemAfter?.version !== expectedVersion) {
    failure = `Found version ${itemAfter?.version ?? 'none'} after the update; expected ${expectedVersion}.`;
  }
  if (kind === 'plugin' && itemBefore && itemAfter && itemAfter.active !== itemBefore.active) {
    const restoreError = await restoreActiveState(platform, slug, itemBefore.active);
    if (restoreError) failure ??= restoreError;
  }
  const result = { slug, new_version: itemAfter?.version ?? itemBefore?.version ?? '' };
  return failure ? { ...result, success: false, error: failure } : { ...result, success: true };
}

/** Restores the plugin's active state from before the update. Returns the error, or null on success. */
async function restoreActiveState(
  platform: Platform,
  plugin: string,
  wasActive: boolean,
): Promise<string | null> {
  const failure = await captureError(() =>
    wasActive ? platform.activatePlugin(plugin) : platform.deactivatePlugin(plugin),
  );
  const isRestored = (await platform.find('plugin', plugin))?.active === wasActive;
  if (isRestored) return null;
  const state = wasActive ? 'activated' : 'deactivated';
  return `The plugin was updated but could not be ${state} again: ${failure ?? 'no effect'}`;
}

async function captureError(action: () => Promise<void>): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    return getErrorMessage(error);
  }
}

export function getErrorMessage(error: unknown): string {
  return (error instanceof Error && error.message) || String(error);
}
