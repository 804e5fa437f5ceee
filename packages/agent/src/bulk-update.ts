import type { BulkUpdateResponse, ItemUpdateResult } from '@steward/contract';
import { CORE, type ItemKind, isManagementPlugin, type Platform } from './platform.ts';

type Failure = BulkUpdateResponse['errors'][number];

/** Runs every pending update. One that fails never stops the rest. */
export async function bulkUpdate(
  platform: Platform,
  resync: () => Promise<void>,
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
        // It cannot even be looked at.
        new_version: versionBefore.get(slug) ?? '',
        success: false,
        error: messageOf(error),
      }));
      results.push(result);
      if (!result.success) {
        errors.push({ type: kind, slug: kind === 'core' ? null : slug, error: result.error ?? '' });
      }
    }
    return results;
  }

  const isPending = (item: { new_version?: string }) => item.new_version !== undefined;
  // The list is taken first: what an update does to the list must not decide what is updated.
  const pluginFiles = plugins
    .filter((item) => isPending(item) && !isManagementPlugin(platform, item.plugin))
    .map((item) => item.plugin);
  const pluginResults = await updateAll('plugin', pluginFiles);
  const themeResults = await updateAll(
    'theme',
    themes.filter(isPending).map((item) => item.slug),
  );
  const [coreResult] = await updateAll('core', isPending(core) ? [CORE] : []);
  const success = errors.length === 0;

  for (const error of await refreshAndReport(platform, resync)) {
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
 * Looks for updates and tells the panel what is installed, the one even when the other fails. Gives
 * what went wrong.
 */
export async function refreshAndReport(
  platform: Platform,
  resync: () => Promise<void>,
): Promise<string[]> {
  const failures: string[] = [];
  for (const step of [() => platform.refreshUpdateChecks(), resync]) {
    await step().catch((error) => failures.push(messageOf(error)));
  }
  return failures;
}

/** Updates one item and then looks: only the version that is really there counts. */
export async function updateItem(
  platform: Platform,
  kind: ItemKind,
  slug: string,
): Promise<ItemUpdateResult> {
  const before = await platform.find(kind, slug);
  const wanted = before?.newVersion;
  let failure = await messageOfFailure(() => platform.update(kind, slug));
  const after = await platform.find(kind, slug);

  if (!failure && after?.version !== wanted) {
    failure = `The version found afterwards is ${after?.version ?? 'none'} instead of ${wanted}.`;
  }
  if (kind === 'plugin' && before && after && after.active !== before.active) {
    const broken = await restoreActivity(platform, slug, before.active);
    if (broken) failure ??= broken;
  }
  const result = { slug, new_version: after?.version ?? before?.version ?? '' };
  return failure ? { ...result, success: false, error: failure } : { ...result, success: true };
}

/** A plugin is afterwards what it was before, active or not; null when that could be seen. */
async function restoreActivity(
  platform: Platform,
  plugin: string,
  wasActive: boolean,
): Promise<string | null> {
  const failure = await messageOfFailure(() =>
    wasActive ? platform.activatePlugin(plugin) : platform.deactivatePlugin(plugin),
  );
  const isRestored = (await platform.find('plugin', plugin))?.active === wasActive;
  if (isRestored) return null;
  const state = wasActive ? 'activated' : 'deactivated';
  return `It was updated but can no longer be ${state}: ${failure ?? 'it had no effect'}`;
}

async function messageOfFailure(act: () => Promise<void>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

export function messageOf(error: unknown): string {
  return (error instanceof Error && error.message) || String(error);
}
