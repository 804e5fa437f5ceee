/** Words and sentences that several features use. */
export const commonMessages = {
  back: 'Back',
  cancel: 'Cancel',
  clear: 'Clear',
  clearFilter: (label: string) => `Clear ${label.toLowerCase()}`,
  clearFilters: 'Clear filters',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  dismiss: 'Dismiss',
  today: 'Today',
  done: 'Done',
  downloadCsv: 'Download as CSV',
  loading: 'Loading…',
  never: 'never',
  noResults: 'No results',
  noTimeZone: 'No such time zone',
  none: 'None',
  productName: 'Steward',
  retry: 'Retry',
  save: 'Save',
  search: 'Search',
  searchFailed: 'The search failed. Try again.',
  undo: 'Undo',
  typeToSearch: 'Type to search',
  siteWithId: (id: number) => `Site ${id}`,
  unlimited: 'Unlimited',

  /** The title of the browser tab. */
  tabTitle: (title: string) => (title === '' ? 'Steward' : `${title} · Steward`),
  maskedKey: (lastSix: string) => `…${lastSix}`,
  /** "Agency …37XBEC": the name of the license, or its plan, and the last six characters of the key. */
  licenseName: (name: string, lastSix: string) => `${name} …${lastSix}`,

  errors: {
    unexpected: 'Something went wrong. Reload the page.',
    actionFailed: 'Something went wrong. Reload the page and try again.',
    unreadableResponse: 'Steward sent an unexpected response. Reload the page.',
    offline: 'Steward cannot be reached. Check your connection, then try again.',
    request: (id: string) => `Request ID: ${id}`,
  },

  notFound: {
    pageTitle: (what: string) => `No such ${what}`,
    title: (what: string) => `There is no such ${what}`,
    goBack: (label: string) => `Go to the ${label.toLowerCase()}`,
    wrongLink: 'The link may be wrong.',
  },

  ownersOnly: {
    title: 'This page is for owners',
    hint: 'You do not have permission to view this page. Ask an owner for access.',
    goToOverview: 'Go to the overview',
  },

  password: {
    newHint: (minLength: number) => `At least ${minLength} characters. A passphrase works well.`,
    showOrHide: 'Show or hide the password',
    tooShort: (minLength: number) => `Use at least ${minLength} characters.`,
    tooLong: (maxLength: number) => `Use at most ${maxLength} characters.`,
  },
} as const;
