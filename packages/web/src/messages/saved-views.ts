/** Views of lists that the user has saved. */
export const savedViewsMessages = {
  menu: 'Views',
  none: 'No saved views yet.',
  save: 'Save this view…',
  saveTitle: 'Save this view',
  saveNote: 'Saves the filters, the order and the columns. Only you see it.',
  name: 'Name',
  replaces: (name: string) => `Replaces the view “${name}”.`,
  saved: (name: string) => `Saved the view “${name}”.`,
  delete: (name: string) => `Delete “${name}”`,
  deleted: (name: string) => `Deleted the view “${name}”.`,
} as const;
