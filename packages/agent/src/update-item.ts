import { type ItemUpdateResult, isSameVersion } from '@steward/contract';
import { type ItemKind, PackageRejected, type Platform, UpdateRolledBack } from './platform.ts';
import { assertRequirements } from './preflight.ts';

/** Updates one item to its pending version. */
export async function updateItem(
  platform: Platform,
  kind: ItemKind,
  slug: string,
  /** The version that the call named. A package with another version is refused. */
  version?: string,
): Promise<ItemUpdateResult> {
  const item = await platform.find(kind, slug);
  return changeItem(platform, { kind, slug }, item?.newVersion, async () => {
    await assertRequirements(platform, kind, item);
    await platform.update(kind, slug, version);
  });
}

/**
 * Changes the version of one item. Succeeds only if the platform then has the expected version. A plugin stays active
 * or inactive, as it was.
 */
export async function changeItem(
  platform: Platform,
  { kind, slug }: { kind: ItemKind; slug: string },
  expectedVersion: string | undefined,
  change: () => Promise<void>,
): Promise<ItemUpdateResult> {
  const itemBefore = await platform.find(kind, slug);
  const updateError = await captureError(change);
  const itemAfter = await platform.find(kind, slug);
  let failure = updateError && getErrorMessage(updateError);

  if (!failure && !isSameVersion(itemAfter?.version ?? '', expectedVersion ?? '')) {
    failure = `Found version ${itemAfter?.version ?? 'none'} after the change; expected ${expectedVersion}.`;
  }
  if (kind === 'plugin' && itemBefore && itemAfter && itemAfter.active !== itemBefore.active) {
    const restoreError = await restoreActiveState(platform, slug, itemBefore.active);
    if (restoreError) failure ??= restoreError;
  }
  const oldVersion = itemBefore?.version ?? '';
  const result = {
    slug,
    old_version: oldVersion,
    new_version: itemAfter?.version ?? oldVersion,
  };
  if (!failure) return { ...result, success: true };
  const isRolledBack = updateError instanceof UpdateRolledBack && itemAfter?.version === oldVersion;
  return {
    ...result,
    success: false,
    error: failure,
    ...(isRolledBack && { rolled_back: true }),
    ...(updateError instanceof PackageRejected && { code: updateError.code }),
  };
}

/** Restores the plugin's active state from before the change. Returns the error, or null on success. */
async function restoreActiveState(
  platform: Platform,
  plugin: string,
  wasActive: boolean,
): Promise<string | null> {
  const error = await captureError(() =>
    wasActive ? platform.activatePlugin(plugin) : platform.deactivatePlugin(plugin),
  );
  const isRestored = (await platform.find('plugin', plugin))?.active === wasActive;
  if (isRestored) return null;
  const state = wasActive ? 'activated' : 'deactivated';
  const reason = error ? getErrorMessage(error) : 'no effect';
  return `The version of the plugin was changed, but the plugin could not be ${state} again: ${reason}`;
}

async function captureError(action: () => Promise<void>): Promise<Error | null> {
  try {
    await action();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

export function getErrorMessage(error: unknown): string {
  return (error instanceof Error && error.message) || String(error);
}
