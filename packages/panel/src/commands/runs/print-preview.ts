import type { SkipReason } from '@steward/contract';
import type { CommandContext } from '../command-context.ts';

export type SkippedSites = { count: number; sites: { name: string; reason: string }[] };

const ROWS_SHOWN = 20;

/** Why a run skips a site. */
export const SKIP_TEXTS: Record<SkipReason | 'items_unsupported' | 'not_installed', string> = {
  deactivated: 'disconnected from its license',
  license_invalid: 'license not valid',
  remote_off: 'remote management off',
  key_expired: 'old license key has expired: enter the new key on the site',
  site_plugin_outdated:
    'Steward plugin too old, or PHP extension sodium missing: update the plugin or enable sodium',
  signed_calls_required: 'cannot verify signed calls: enable the PHP extension sodium',
  already_installed: 'already installed, or its folder is in use',
  saved_version_missing: 'has no saved version',
  held_version: 'held by a rule or a quarantine',
  up_to_date: 'already up to date',
  items_unsupported: 'Steward plugin too old to install only selected updates',
  not_installed: 'not installed',
};

export const countSites = (sites: number): string => (sites === 1 ? '1 site' : `${sites} sites`);

/** Joins a few versions; more would make the table too wide. */
export const listVersions = (versions: string[]): string =>
  versions.length <= 2 ? versions.join(', ') : `${versions.length} versions`;

export function printSiteNames(
  { printLine }: CommandContext,
  names: string[],
  total: number,
): void {
  for (const name of names.slice(0, ROWS_SHOWN)) printLine(`  ${name}`);
  printMore(printLine, total - Math.min(names.length, ROWS_SHOWN));
}

export function printSkipped(context: CommandContext, skipped: SkippedSites, notFound = 0): void {
  const { printLine } = context;
  if (notFound > 0) printLine(`Not found: ${countSites(notFound)}.`);
  if (skipped.count === 0) return;
  printLine(`Skipped: ${countSites(skipped.count)}.`);
  const shown = skipped.sites.slice(0, ROWS_SHOWN);
  for (const { name, reason } of shown) printLine(`  ${name}: ${reason}`);
  printMore(printLine, skipped.count - shown.length);
}

function printMore(printLine: (line: string) => void, count: number): void {
  if (count > 0) printLine(`  and ${count} more`);
}
