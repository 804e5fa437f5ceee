import { describe, expect, it } from 'vitest';
import { listChanges, toFields } from './site-fields.ts';

const ACME = toFields({ display_name: 'Acme Shop', client: { id: 7, name: 'Acme' }, note: 'Hi' });
const NOTHING = toFields({ display_name: null, client: null, note: null });

describe('listChanges', () => {
  it.each([
    ['nothing', ACME, {}],
    ['spaces around a text', { ...ACME, display_name: ' Acme Shop ' }, {}],
    ['a new name', { ...ACME, display_name: ' Bolt ' }, { display_name: 'Bolt' }],
    ['another client', { ...ACME, client: '9' }, { client_id: 9 }],
    ['everything removed', NOTHING, { display_name: null, note: null, client_id: null }],
  ])('returns %s', (_, after, changes) => {
    expect(listChanges(ACME, after)).toEqual(changes);
  });

  it('returns what was added to a site without texts', () => {
    expect(listChanges(NOTHING, ACME)).toEqual({
      display_name: 'Acme Shop',
      note: 'Hi',
      client_id: 7,
    });
  });
});
