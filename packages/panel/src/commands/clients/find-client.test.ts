import { describe, expect, it } from 'vitest';
import { findClient } from './find-client.ts';

const clients = [
  { id: 1, name: 'Acme', archived_at: null },
  { id: 2, name: '1', archived_at: null },
];

describe('findClient', () => {
  it('finds a client by its name in any case, and then by its id', () => {
    expect(findClient(clients, ' ACME ').id).toBe(1);
    expect(findClient(clients, '1').id).toBe(2);
    expect(findClient(clients, '2').id).toBe(2);
    expect(() => findClient(clients, 'Bolt')).toThrow('There is no client Bolt.');
  });
});
