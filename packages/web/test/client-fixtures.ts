import type { ClientItem } from '@steward/contract';
import { MOMENT } from './panel-fixtures.ts';

export const clientItem = (overrides: Partial<ClientItem> = {}): ClientItem => ({
  id: 7,
  name: 'Acme',
  contact_name: null,
  contact_email: null,
  time_zone: 'Europe/Berlin',
  logo: null,
  sites: 0,
  created_at: MOMENT,
  archived_at: null,
  ...overrides,
});
export const clients = (...list: ClientItem[]) => ({ success: true as const, clients: list });
