import { CLIENT_LOGO_MAX_BYTES } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

const MAX_LOGO_KB = formatNumber(CLIENT_LOGO_MAX_BYTES / 1024);

/** The page of clients, and their dialogs. */
export const clientsMessages = {
  title: 'Clients',
  note: (clients: number) => count(clients, 'client'),
  archivedNote: (clients: number) => count(clients, 'archived client'),
  create: 'Create client',
  emptyTitle: 'No clients yet',
  empty:
    'A client is the person or company that owns sites. Create a client. Then select its sites on the page Sites, and choose “⋯” and “Set client”.',
  /** For users who cannot create clients. */
  emptyForOthers: 'The clients of your sites appear here. Ask an owner to add sites to a client.',
  noneArchivedTitle: 'No archived clients',
  noneArchived: 'Archived clients appear here, and you can restore them.',
  noMatchTitle: 'No client matches',
  noMatch: 'Search by name, contact or e-mail address.',
  showMore: 'Show more clients',

  filters: {
    search: 'Search clients',
    searchPlaceholder: 'Name or contact',
    status: 'Status',
    statuses: { active: 'Active', archived: 'Archived' },
  },
  columns: {
    client: 'Client',
    contact: 'Contact',
    timeZone: 'Time zone',
    sites: 'Sites',
    actions: 'Actions',
  },
  noSites: 'None',
  sites: (sites: number) => count(sites, 'site'),
  showSites: (client: string, sites: number) => `Show ${count(sites, 'site')} of ${client}`,
  editOne: (client: string) => `Edit client ${client}`,
  actions: (client: string) => `Actions for ${client}`,
  edit: 'Edit…',
  archive: 'Archive…',
  restore: 'Restore',
  restored: (client: string) =>
    `${client} restored, without sites. Add its sites in the list of sites.`,

  dialog: {
    editTitle: 'Edit client',
    name: 'Name',
    contactName: 'Contact',
    contactEmail: 'E-mail of the contact',
    timeZone: 'Time zone',
    submit: 'Save changes',
    created: (client: string) => `Client ${client} created.`,
    saved: (client: string) => `Client ${client} saved.`,
    nameMissing: 'Enter a name first.',
  },
  logo: {
    label: 'Logo',
    hint: `PNG, JPEG or WebP, up to ${MAX_LOGO_KB} KB.`,
    preview: 'Preview of the logo',
    choose: 'Choose image',
    chooseOther: 'Choose another image',
    remove: 'Remove logo',
    tooLarge: `This image is larger than ${MAX_LOGO_KB} KB. Choose a smaller one.`,
    wrongType: 'This file is not a PNG, JPEG or WebP image. Choose another file.',
    unreadable: 'Your browser cannot show this image. Choose another file.',
  },
  archiveDialog: {
    title: (client: string) => `Archive client ${client}`,
    confirm: 'Archive client',
    effects: (sites: number) => [
      sites === 0
        ? 'This client has no sites.'
        : `${count(sites, 'site then belongs', 'sites then belong')} to no client.`,
      'Users and access tokens that have access through this client lose it.',
      'The history is kept. You can restore the client later, without its sites and without the access.',
    ],
    done: (client: string) => `Client ${client} archived.`,
  },
} as const;
