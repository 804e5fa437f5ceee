/** The choice of a client, in the dialogs and filters of other pages. */
export const clientSelectMessages = {
  placeholder: 'Choose a client',
  none: 'No client',
  /** For a client that the user may not see. */
  unknown: (id: string) => `Client ${id}`,
  noClients: 'There are no clients yet.',
  create: 'Create a client',
  askOwner: 'There are no clients yet. Ask an owner to create one.',
} as const;
