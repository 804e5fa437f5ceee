import { count } from '../lib/format.ts';

/** The dialog that sets the client of selected sites. */
export const clientOfSitesMessages = {
  menuLabel: 'Set client…',
  title: (sites: number) => `Set client of ${count(sites, 'site')}`,
  client: 'Client',
  note: 'A site belongs to at most one client. The history keeps its earlier clients.',
  notChosen: 'Choose a client first, or “No client”.',
  changed: (sites: number) => `Client changed on ${count(sites, 'site')}.`,
  notFound: (sites: number) =>
    ` ${count(sites, 'site was', 'sites were')} not found. Reload the page to see the current sites.`,
} as const;
