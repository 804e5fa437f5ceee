import type { BulkUpdateResponse, ItemUpdateResult } from '@steward/contract';
import { CORE, type ItemKind, type Platform } from './platform.ts';

type Failure = BulkUpdateResponse['errors'][number];

/** Runs every pending update. One that fails never stops the rest. */
export async function bulkUpdate(
  platform: Platform,
  resync: () => Promise<void>,
): Promise<BulkUpdateResponse> {
  const errors: Failure[] = [];
  const { plugins, themes, core } = await platform.inventory();

  async function updateAll(kind: ItemKind, slugs: string[]): Promise<ItemUpdateResult[]> {
    const results: ItemUpdateResult[] = [];
    for (const slug of slugs) {
      const result = await updateItem(platform, kind, slug);
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
    .filter((item) => isPending(item) && item.plugin !== platform.managementPlugin)
    .map((item) => item.plugin);
  const pluginResults = await updateAll('plugin', pluginFiles);
  const themeResults = await updateAll(
    'theme',
    themes.filter(isPending).map((item) => item.slug),
  );
  const [coreResult] = await updateAll('core', isPending(core) ? [CORE] : []);
  const success = errors.length === 0;

  for (const step of [() => platform.refreshUpdateChecks(), resync]) {
    await step().catch((error) => {
      errors.push({ type: 'system', slug: null, error: messageOf(error) });
    });
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
  if (kind === 'plugin' && before?.active && after && !after.active) {
    const broken = await messageOfFailure(() => platform.activatePlugin(slug));
    if (broken) failure ??= `It was updated but can no longer be activated: ${broken}`;
  }
  const result = { slug, new_version: after?.version ?? before?.version ?? '' };
  return failure ? { ...result, success: false, error: failure } : { ...result, success: true };
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
