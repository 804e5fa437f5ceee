import { STALE_AFTER_DAYS } from '@steward/contract';
import { count } from '../lib/format.ts';

const OTHER_LICENSE =
  'Its license cannot be restored. To manage the site again, connect it with another license in the plugin’s settings on the site.';
/** What an owner does so that Steward can manage the site again. */
const LICENSE_STEPS: Record<string, string> = {
  suspended: 'To manage it again, resume the license, or connect the site with another one.',
  expired: 'To manage it again, extend the license, or connect the site with another one.',
};

/** The states of a site, and the banner of each state that needs attention. */
export const siteStatusMessages = {
  words: {
    alarm: 'alarm',
    failing: 'last action failed',
    not_reachable: 'not reachable',
    updates: 'updates available',
    // Short, because the column for the status is narrow.
    stale: `no contact for ${STALE_AFTER_DAYS}+ days`,
    never_synced: 'never synced',
    up_to_date: 'up to date',
    remote_off: 'remote management off',
    license_invalid: 'license not valid',
    deactivated: 'disconnected',
  },
  pendingUpdates: (updates: number) => count(updates, 'update'),
  licenseState: (status: string) => `license ${status}`,
  failing: { title: 'The last action on this site failed.' },
  notReachable: {
    title: 'The site could not be reached.',
    meaning: 'Steward can’t reach this site. It may still be online for visitors.',
    down: 'Two checks in a row failed. Visitors cannot use the site. Some may see an old copy from a cache.',
  },
  remoteDisabled: {
    meaning: 'Turn on remote management in the plugin’s settings, then sync the site.',
  },
  remoteNotLicensed: {
    title: 'The license of this site does not include the Remote service.',
    meaning:
      'Steward cannot manage the site. To change this, connect the site with a license that includes Remote.',
  },
  licenseInvalid: {
    title: (status: string) => `The license of this site is ${status}.`,
    meaning: (status: string) =>
      `The site keeps running. ${LICENSE_STEPS[status] ?? OTHER_LICENSE}`,
  },
  disconnected: {
    title: 'This site is disconnected from its license.',
    meaning:
      'The site keeps running. To manage it again, connect it in the plugin’s settings on the site.',
    revoked:
      'The site keeps running, but its license was revoked and cannot be restored. To manage it again, connect it with another license in the plugin’s settings on the site.',
  },
  noContact: {
    title: `Steward has had no contact with this site for at least ${count(STALE_AFTER_DAYS, 'day')}.`,
    meaning: 'The data shown here may be outdated. Sync the site to refresh it.',
  },
  alarms: {
    foreign_call: {
      title: 'The site executed a call that Steward did not make.',
      meaning:
        'The site key and Steward’s signing key may be compromised. Disconnect the site in the plugin’s settings, then connect it again to give it a new site key. Check the plugins and users of the site. Then rotate the signing key: npx steward signing-key rotate.',
    },
    log_changed: {
      title: 'The call log of this site was altered or removed.',
      meaning:
        'If you restored the site from a backup, dismiss the alarm. If not: check the plugins and users of the site, then disconnect the site in the plugin’s settings and connect it again to give it a new site key.',
    },
  },
} as const;
