/** Words that several features use. */
export const commonMessages = {
  back: 'Back',
  cancel: 'Cancel',
  clear: 'Clear',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  loading: 'Loading…',
  noResults: 'No results',
  retry: 'Retry',
  save: 'Save',
  search: 'Search',
} as const;
