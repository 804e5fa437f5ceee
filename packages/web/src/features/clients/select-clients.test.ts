import { describe, expect, it } from 'vitest';
import { clientItem } from '../../../test/client-fixtures.ts';
import { selectClients } from './select-clients.ts';

const CLIENTS = [
  clientItem({ id: 1, name: 'Acme' }),
  clientItem({ id: 2, name: 'Bolt', contact_name: 'Anna', contact_email: 'anna@bolt.example' }),
  clientItem({ id: 3, name: 'Old Acme', archived_at: '2026-06-01T12:00:00.000Z' }),
];
const idsOf = (view: Parameters<typeof selectClients>[1]) =>
  selectClients(CLIENTS, view).map(({ id }) => id);

describe('selectClients', () => {
  it('returns active clients, or archived ones', () => {
    expect(idsOf({})).toEqual([1, 2]);
    expect(idsOf({ archived: 'true' })).toEqual([3]);
  });

  it.each([
    ['acme', [1]],
    [' ANNA ', [2]],
    ['bolt.example', [2]],
    ['nothing', []],
  ])('finds %j in names and contacts', (search, ids) => {
    expect(idsOf({ search })).toEqual(ids);
  });
});
