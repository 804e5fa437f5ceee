/** The display name, the client and the note of a site. */
export const siteAboutMessages = {
  label: 'Client and note',
  /** The name of the client follows. */
  client: 'Client:',
  edit: 'Edit name, client and note',
  dialog: {
    title: 'Edit site',
    name: 'Display name',
    nameHint: (address: string) => `Shown together with the address, ${address}.`,
    client: 'Client',
    note: 'Note',
    noteHint: 'Every user who sees this site sees the note. Do not enter passwords.',
    submit: 'Save changes',
    done: 'Site saved.',
  },
} as const;
