import type { SkipReason } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

const listVersions = (versions: string[]): string =>
  versions.length <= 2 ? versions.join(' and ') : `${versions.length} versions`;

const types = { plugin: 'Plugin', theme: 'Theme' } as const;

/** The dialogs that install packages, restore previous versions, and update the Steward plugin. */
export const packagesMessages = {
  skipReasons: {
    deactivated: 'disconnected from its license',
    license_invalid: 'license not valid',
    remote_off:
      'remote management off: turn it on in the plugin’s settings and sync the site, or use a license that includes Remote',
    key_expired: 'old license key has expired: enter the new key on the site',
    site_plugin_outdated:
      'Steward plugin too old, or PHP extension sodium missing: update the plugin or enable sodium',
    signed_calls_required: 'cannot verify signed calls: enable the PHP extension sodium',
    already_installed: 'already installed, or its folder is in use',
    saved_version_missing: 'no saved version (Steward saves one with each update)',
    held_version: 'held by a rule or a quarantine',
    up_to_date: 'already up to date',
  } satisfies Record<SkipReason, string>,
  moreSites: (sites: number) => `and ${formatNumber(sites)} more`,
  install: {
    open: 'Install',
    menuLabel: 'Install…',
    title: 'Install a plugin or theme',
    source: 'Source',
    sources: { upload: 'Upload a zip file', directory: 'From wordpress.org' },
    drop: 'Drop the zip file of a plugin or theme here, or ',
    choose: 'choose a file',
    maximum: 'At most 64 MB. Steward checks the file before any site gets it.',
    uploading: (file: string) => `Uploading and checking ${file}…`,
    otherFile: 'Choose another file',
    type: 'Type',
    types,
    slug: 'Slug',
    slugHint: 'The last part of its address on wordpress.org, such as akismet.',
    slugError: 'Use lowercase letters, digits and hyphens.',
    version: 'Version',
    versionHint: 'Such as 5.3.1',
    versionError: 'Use a version such as 5.3.1.',
    /** "Plugin shop/shop.php" */
    what: (type: keyof typeof types, slug: string) => `${types[type]} ${slug}`,
    requires: (cms: string | null, php: string | null) =>
      [cms && `WordPress ${cms}`, php && `PHP ${php}`].filter(Boolean).join(' and '),
    requiresPrefix: 'Requires ',
    sites: 'Sites',
    allSites: 'All sites',
    tagged: (tag: string, sites: number) => `Tag ${tag} (${formatNumber(sites)})`,
    note: 'A new plugin stays inactive until you activate it. Sites that already have it are skipped.',
    noSites: 'It cannot be installed on any of these sites.',
    /** Below the sites that already have it. */
    alreadyInstalled:
      'Steward never replaces an installed plugin or theme by an uploaded file. If a site already has it, choose Update as soon as the site offers the new version. If nothing offers it, upload the file in WordPress on that site: Plugins › Add Plugin › Upload, or Themes › Add Theme › Upload.',
    showSites: (sites: number) => `Installs on ${count(sites, 'site')}`,
    includeSite: (site: string) => `Install on ${site}`,
    start: (sites: number) => (sites === 0 ? 'Install' : `Install on ${count(sites, 'site')}`),
  },
  restore: {
    open: 'Restore previous version',
    menuLabel: 'Restore previous version…',
    buttonLabel: (name: string) => `Restore previous version of ${name}`,
    title: (name: string) => `Restore a previous version of ${name}`,
    version: 'Version',
    eachPrevious: 'The previous version on each site',
    option: (version: string, current: string[], sites: number) =>
      `Restore ${version} on ${count(sites, 'site')} (now ${listVersions(current)})`,
    /** In place of the select, if there is only one version. */
    only: (version: string, current: string[]) =>
      `Version ${version} replaces ${listVersions(current)}.`,
    databaseNote: 'A restore replaces files only. Changes in the database are not undone.',
    note: 'A site keeps the last two versions of each plugin and theme. If the restored version breaks the site, Steward puts the present version back.',
    noSites: 'No previous version can be restored on these sites.',
    showSites: (sites: number) => `Restores on ${count(sites, 'site')}`,
    includeSite: (site: string) => `Restore on ${site}`,
    start: (sites: number) => (sites === 0 ? 'Restore' : `Restore on ${count(sites, 'site')}`),
  },
  selfUpdate: {
    open: 'Update the Steward plugin',
    openOn: (sites: number) => `Ask ${count(sites, 'site')} to update`,
    blocked: (reason: string | null) =>
      `No site can update its Steward plugin now${reason === null ? '.' : `: ${reason}.`}`,
    shortLabel: 'Update…',
    buttonLabel: 'Update the Steward plugin…',
    title: 'Update the Steward plugin',
    note: 'Each site updates its Steward plugin itself, and then checks that its pages still work.',
    noSites: 'No site can update its Steward plugin now.',
    /** Replaces the text of `site_plugin_outdated`: its advice, to update the Steward plugin first, makes no sense in this dialog. */
    tooOld:
      'cannot update itself: update the Steward plugin on this site by hand, or enable the PHP extension sodium',
    showSites: (sites: number) => `${count(sites, 'site')} will be updated`,
    includeSite: (site: string) => `Update on ${site}`,
    start: (sites: number) => (sites === 0 ? 'Update' : `Update on ${count(sites, 'site')}`),
  },
} as const;
