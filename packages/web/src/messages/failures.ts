/** Labels and buttons next to a failure. The advice itself is in `@steward/contract`. */
export const failureMessages = {
  unexpected: 'Something went wrong. Reload the page and try again.',
  dismiss: 'Dismiss',
  viewRun: 'View run',
  siteDetails: 'Site details',
  openWebsite: 'Open website',
  openLicense: 'Open license',
  retrySite: 'Retry this site',
  retryUpdates: 'Retry updates',
  syncSite: 'Sync this site',
  askOwner: 'Ask an owner to check the license.',
  /** Followed by the time. */
  failed: 'Failed',
} as const;
