import { SITE_FAILURES } from './failures.ts';

/**
 * Why an update would fail on a site, for the preview, the site page and the command line. A reason that is also an error
 * code of a task has the message of that code. The others, except `not_reachable`, are codes of failed items.
 */
export const PREFLIGHT_REASONS = {
  site_not_active: SITE_FAILURES.site_not_active.message,
  remote_disabled: SITE_FAILURES.remote_disabled.message,
  file_changes_disabled: SITE_FAILURES.file_changes_disabled.message,
  folder_not_writable: 'The site cannot write to a folder that the update changes.',
  php_too_old: 'PHP is too old for the new version.',
  cms_too_old: 'The CMS is too old for the new version.',
  plugin_missing: 'The new version requires plugins that are not active.',
  disk_full: 'Not enough disk space.',
  not_reachable: 'The last call did not reach the site.',
  site_busy: SITE_FAILURES.site_busy.message,
} as const;
export type PreflightReason = keyof typeof PREFLIGHT_REASONS;

/** Why a site counts as unchecked: it has no report with a preflight, or its last one is older than 24 hours. */
export const UNCHECKED_REASONS = ['report_missing', 'report_old'] as const;
export type UncheckedReason = (typeof UNCHECKED_REASONS)[number];

/** Codes with which a site refuses an item before it changes anything. */
export const ITEM_PREFLIGHT_CODES = [
  'php_too_old',
  'cms_too_old',
  'plugin_missing',
  'folder_not_writable',
  'disk_full',
] as const satisfies readonly PreflightReason[];

/**
 * The sentences of describeOldPhp, describeOldCms and describeMissingPlugins must equal those of `Requirements.php` in the
 * WordPress plugin, so that a prediction and the later result give the same reason.
 */
export const describeOldPhp = (required: string, installed: string) =>
  `The new version requires PHP ${required}; this site runs ${installed}.`;
export const describeOldCms = (required: string, installed: string) =>
  `The new version requires core version ${required}; this site runs ${installed}.`;
export const describeMissingPlugins = (missing: readonly string[]) =>
  `The new version requires plugins that are not active: ${missing.join(', ')}.`;
export const describeFolder = (folder: string) => `The site cannot write to the folder ${folder}.`;
export const describeDiskSpace = (neededBytes: number, freeBytes: number) =>
  `Not enough disk space: the updates need about ${toMegabytes(neededBytes)} MB, and ${toMegabytes(freeBytes)} MB are free.`;

const toMegabytes = (bytes: number) =>
  new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / 1024 ** 2);
