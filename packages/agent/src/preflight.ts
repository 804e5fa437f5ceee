import {
  CORE_SLUG,
  describeMissingPlugins,
  describeOldCms,
  isTooOld,
  type PreflightReport,
} from '@steward/contract';
import {
  type InstalledItem,
  type ItemKind,
  PackageRejected,
  type Platform,
  toRequiredSlug,
} from './platform.ts';
import { isRemoteEnabled, type OptionsStore } from './site-options.ts';

/** Collects what the panel needs to predict whether an update would fail. Changes nothing. */
export async function collectPreflight(
  platform: Platform,
  options: OptionsStore,
  { isLocked, now }: { isLocked: boolean; now: Date },
): Promise<PreflightReport> {
  const isAllowed = await platform.allowsFileChanges();
  return {
    ...(await platform.preflight?.()),
    ...(!isAllowed && { file_changes: 'disabled' }),
    remote_enabled: isRemoteEnabled(await options.read(), now),
    locked: isLocked,
  };
}

/** Throws if the site does not meet a requirement of the pending version. The panel predicts the same sentence. */
export async function assertRequirements(
  platform: Platform,
  kind: ItemKind,
  item: InstalledItem | null,
): Promise<void> {
  const { requires, requires_plugins = [] } = item?.requirements ?? {};
  if (requires !== undefined) {
    const coreVersion = (await platform.find('core', CORE_SLUG))?.version ?? '';
    if (isTooOld(coreVersion, requires)) {
      throw new PackageRejected(describeOldCms(requires, coreVersion), { code: 'cms_too_old' });
    }
  }
  if (kind !== 'plugin' || !item?.active || requires_plugins.length === 0) return;
  const { plugins } = await platform.inventory();
  const active = plugins.filter(({ active }) => active).map(({ plugin }) => toRequiredSlug(plugin));
  const missing = requires_plugins.filter((slug) => !active.includes(slug));
  if (missing.length > 0) {
    throw new PackageRejected(describeMissingPlugins(missing), { code: 'plugin_missing' });
  }
}
