import { describe, expect, it } from 'vitest';
import { describeSelection } from './site-selection.ts';

describe('describeSelection', () => {
  it.each([
    [{}, 'all sites'],
    [{ tag: 'shop' }, 'sites with the tag shop'],
    [{ client_id: '7' }, 'sites of client Acme'],
    [{ client_id: 'none' }, 'sites without a client'],
    [{ tag: 'shop', client_id: '7' }, 'sites that match: tag shop; client Acme'],
    [{ tag: 'shop', client_id: 'none' }, 'sites that match: tag shop; no client'],
  ])('describes %j', (selection, text) => {
    expect(describeSelection(selection, () => 'Acme')).toBe(text);
  });
});
