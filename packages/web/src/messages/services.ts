import { count } from '../lib/format.ts';

export const servicesMessages = {
  title: 'Services',
  note: 'Available services',
  empty: {
    title: 'No services available',
    description: 'Services come with Steward. Update Steward to get them.',
  },
  list: {
    label: 'Available services',
    version: (version: string) => `Version ${version}`,
    plans: (names: string[]) =>
      names.length === 0 ? 'Not used by any plan' : `Included in ${names.join(', ')}`,
  },
  plans: {
    title: 'Plans',
    emptyTitle: 'No plans yet.',
    empty: 'The first license you create also creates its plan.',
    columns: { plan: 'Plan', siteLimit: 'Sites per license', services: 'Services' },
    siteLimit: (limit: number) => count(limit, 'site'),
  },
} as const;
