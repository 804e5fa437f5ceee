/**
 * The failures of a call to a site. One entry holds everything that users read about a code, so that the
 * screens, the CLI, the audit log and the API use the same words. `explain-failure.ts` picks the meaning.
 */

export type NextStep = 'retry' | 'sync' | 'open_site' | 'site_page' | 'license';

export type SiteFailure = {
  /** The HTTP status of an API response with this code. */
  status: number;
  /** What happened. */
  message: string;
  /** What it means for the site. Empty if the meaning depends only on the action. */
  meaning: string;
  /** What to do next, the best step first. */
  next: readonly NextStep[];
  /**
   * The panel got no valid response. This failure code alone does not show whether the site executed the call;
   * `explainNotDone` adds a sentence about that before the meaning.
   */
  hasNoValidResponse?: true;
};

export const NO_CHANGES = 'No changes were made.';
export const SITE_NOT_CALLED = `The site was not called. ${NO_CHANGES}`;

const defineFailures = <Code extends string>(failures: Record<Code, SiteFailure>) => failures;

export const SITE_FAILURES = defineFailures({
  site_unreachable: {
    status: 502,
    message: 'The site could not be reached.',
    meaning: '',
    next: ['open_site', 'retry'],
    hasNoValidResponse: true,
  },
  site_timeout: {
    status: 504,
    message: 'The site did not respond in time.',
    meaning: '',
    next: ['open_site', 'retry'],
    hasNoValidResponse: true,
  },
  site_tls_error: {
    status: 502,
    message: 'No secure connection to the site could be made. Check its certificate.',
    meaning: 'Visitors may see a certificate warning.',
    next: ['open_site', 'retry'],
    hasNoValidResponse: true,
  },
  site_invalid_response: {
    status: 502,
    message: 'The site did not respond with the expected JSON.',
    meaning: 'The response was not valid.',
    next: ['open_site', 'retry'],
    hasNoValidResponse: true,
  },
  site_endpoint_not_found: {
    status: 502,
    message:
      'The site did not respond at the address of the Steward plugin. Check that the plugin is active.',
    meaning: `${NO_CHANGES} The call did not reach the plugin.`,
    next: ['open_site', 'retry'],
  },
  site_response_too_large: {
    status: 502,
    message: 'The response of the site was too large. Check the site for PHP warnings.',
    meaning: 'The response was too large to come from the plugin.',
    next: ['open_site', 'retry'],
    hasNoValidResponse: true,
  },
  site_redirected: {
    status: 502,
    message: 'The site redirects to another address. Connect it again under its real address.',
    meaning: `${NO_CHANGES} Steward sends the site’s key only to the connected address, so it does not follow redirects.`,
    next: ['open_site', 'retry'],
  },
  site_down: {
    status: 502,
    message: 'The site is down: it responds with an error. Check its error log.',
    meaning: `${NO_CHANGES} Visitors see an error too.`,
    next: ['open_site', 'retry'],
  },
  site_login_required: {
    status: 502,
    message: 'The web server of the site requires a password before requests reach the plugin.',
    meaning: `${NO_CHANGES} The request did not reach the plugin.`,
    next: ['open_site', 'retry'],
  },
  request_blocked: {
    status: 403,
    message: 'The site blocks requests from Steward before they reach the plugin.',
    meaning: `${NO_CHANGES} The request did not reach the plugin.`,
    next: ['open_site', 'retry'],
  },
  site_rejected_key: {
    status: 502,
    message: 'The site rejected the key that Steward sent. Connect the site again.',
    meaning: `${NO_CHANGES} Steward cannot manage the site until it is connected again with its license key.`,
    next: ['open_site', 'retry'],
  },
  site_rejected_signature: {
    status: 502,
    message:
      'The site rejected Steward’s signature. Check the address and the clock of the site. If both are right, connect the site again.',
    meaning: `${NO_CHANGES} The site could not verify that the call came from Steward.`,
    next: ['open_site', 'retry'],
  },
  site_address_changed: {
    status: 409,
    message:
      'The address of the site has changed since it was connected. Connect it again at its new address, or correct the address in WordPress.',
    meaning: `${NO_CHANGES} A site accepts calls only for the address it was connected as, so a copy cannot be managed in its place.`,
    next: ['open_site', 'site_page'],
  },
  site_connected_elsewhere: {
    status: 403,
    message:
      'The site is now connected to another panel. Connect it to this panel again, or disconnect it here.',
    meaning: `${NO_CHANGES} A site accepts calls only from the panel that it was connected to last.`,
    next: ['site_page', 'open_site'],
  },
  address_not_proven: {
    status: 403,
    message:
      'The address of this site is not proven: Steward has not reached the site there yet. If it stays unreachable, disconnect the site in the panel and connect it again.',
    meaning: `${SITE_NOT_CALLED} Steward sends a site key only to a proven address.`,
    next: ['open_site', 'retry'],
  },
  site_busy: {
    status: 409,
    message: 'Another update or action is running on this site. Try again when it has finished.',
    meaning: `${NO_CHANGES} Another change is in progress on the site.`,
    next: ['retry', 'site_page'],
  },
  site_not_active: {
    status: 409,
    message:
      'This site is not active: its license is no longer valid or the site was disconnected.',
    meaning: `${SITE_NOT_CALLED} Renew the license, or connect the site again.`,
    next: ['license', 'site_page'],
  },
  site_not_found: {
    status: 404,
    message: 'There is no such site.',
    meaning: 'The site was removed, or you do not have access to it.',
    next: [],
  },
  remote_disabled: {
    status: 403,
    message: 'Remote management is off on this site.',
    meaning: `${NO_CHANGES} Turn on remote management in the plugin’s settings on the site.`,
    next: ['open_site', 'retry'],
  },
  file_changes_disabled: {
    status: 403,
    message: 'This site does not allow file changes.',
    meaning: `${NO_CHANGES} The settings or file permissions of the site prevent updates and deletions.`,
    next: ['open_site', 'site_page'],
  },
  plugin_not_found: {
    status: 404,
    message: 'This plugin is not installed on the site. It may have been deleted there.',
    meaning: `${NO_CHANGES} The plugin was removed after the last report. Sync the site to refresh its list.`,
    next: ['sync', 'site_page'],
  },
  management_plugin: {
    status: 403,
    message: 'This action cannot change the Steward plugin itself.',
    meaning:
      'Steward manages the site through this plugin. You can only update it: on the page of the site in Steward, or in WordPress.',
    next: ['open_site'],
  },
  items_unsupported: {
    status: 409,
    message: 'The Steward plugin on this site is too old to update only selected items.',
    meaning: `${SITE_NOT_CALLED} Update the Steward plugin on this site first.`,
    next: ['open_site', 'site_page'],
  },
  items_not_installed: {
    status: 404,
    message: 'None of the chosen items is installed on this site.',
    meaning: `${SITE_NOT_CALLED} Sync the site to refresh its list.`,
    next: ['sync', 'site_page'],
  },
  held_version: {
    status: 409,
    message: 'A rule or a quarantine holds this version back.',
    meaning: `${SITE_NOT_CALLED} An owner can change the rule or lift the quarantine.`,
    next: ['site_page'],
  },
  site_plugin_outdated: {
    status: 409,
    message: 'The Steward plugin on this site is too old for this action.',
    meaning: `${SITE_NOT_CALLED} Update the Steward plugin on this site, or enable the PHP extension sodium.`,
    next: ['open_site', 'site_page'],
  },
  signed_calls_required: {
    status: 409,
    message: 'This site cannot verify signed calls, so Steward installs nothing on it.',
    meaning: `${SITE_NOT_CALLED} Enable the PHP extension sodium on the site, or update its Steward plugin.`,
    next: ['open_site', 'site_page'],
  },
  saved_version_missing: {
    status: 404,
    message: 'This site has no saved copy of the chosen version.',
    meaning: `${SITE_NOT_CALLED} A site keeps the last two versions of each plugin and theme. Sync the site to refresh its list.`,
    next: ['sync', 'site_page'],
  },
  already_installed: {
    status: 409,
    message:
      'The chosen plugins and themes are already installed on this site, or their folders are in use.',
    meaning: `${SITE_NOT_CALLED} Steward never replaces installed files by a package: update the item when the site offers the new version, or upload the file in WordPress. If another plugin uses the folder, delete that plugin first.`,
    next: ['site_page', 'sync'],
  },
  package_not_found: {
    status: 404,
    message: 'This package is no longer stored in the panel. Upload it again.',
    meaning: SITE_NOT_CALLED,
    next: ['site_page'],
  },
  site_unhealthy: {
    status: 502,
    message: 'The site has had a problem since the update.',
    meaning:
      'The update was installed, and the site works worse than before. Open the site and check it. If it is broken, restore the previous version.',
    next: ['open_site', 'site_page'],
  },
  pages_not_checked: {
    status: 502,
    message: 'Not all pages of the site could be checked.',
    meaning:
      'The change was made, and no checked page shows a problem. Open the site and check its other pages.',
    next: ['open_site', 'site_page'],
  },
  pages_differ: {
    status: 502,
    message: 'The site differs from before the change.',
    meaning:
      'The change was made. The difference may be intended: open the site and check it. If it is broken, restore the previous version.',
    next: ['open_site', 'site_page'],
  },
  action_failed: {
    status: 500,
    message: 'The action failed on the site.',
    meaning: '',
    next: ['retry', 'sync', 'open_site'],
  },
});

export type SiteFailureCode = keyof typeof SITE_FAILURES;

/** What a comparison of the site before and after an update found. */
export const HEALTH_TROUBLES = {
  fatal_error: 'The home page shows a fatal error.',
  unreachable: 'The home page did not load. It loaded before the update.',
  status_changed: 'The home page responds with another HTTP status than before the update.',
  page_shrunk: 'The home page is less than half as large as before the update.',
  page_incomplete: 'The home page ends before its closing tag. It was complete before the update.',
  application_down:
    'The application no longer responds. The home page may still load from a cache.',
} as const;

export type TroubleCode = keyof typeof HEALTH_TROUBLES;
