/** Texts around a failure. `@steward/contract` has what happened, what it means and the next steps. */
export const failureMessages = {
  unexpected: 'Something went wrong. Reload the page and try again.',
  dismiss: 'Dismiss',
  viewRun: 'View run',
  viewSite: 'View site',
  openSite: 'Open site',
  openLicense: 'Open license',
  retrySite: 'Retry this site',
  retryUpdates: 'Retry updates',
  syncSite: 'Sync this site',
  askOwner: 'Ask an owner to check the license.',
  /** Followed by the time. */
  failed: 'Failed',
} as const;
