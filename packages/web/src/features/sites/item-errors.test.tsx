import type { ItemError } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { SHOP, siteDetails } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { responsesFor } from '../../../test/site-screen.ts';
import { itemError } from '../../../test/software-fixtures.ts';

const render = (...item_errors: ItemError[]) =>
  renderScreen('/sites/1', { responses: responsesFor(siteDetails({ item_errors })) });
const findErrors = async () => within(await screen.findByRole('region', { name: 'Errors' }));

describe('the errors of a site', () => {
  it('shows what a site without errors has reported', async () => {
    render();
    const errors = await findErrors();
    errors.getByText(/No errors reported/);
    expect(errors.queryByRole('list')).toBeNull();
  });

  it('shows item, version, message, place and evidence; new confirmed errors come first', async () => {
    render(
      itemError({ place: 'old.php:1', is_new: false }),
      itemError({ place: 'visitor.php:2', is_confirmed: false, request_kind: 'front' }),
      itemError({ place: 'checkout.php:17', request_kind: 'rest', count: 1200 }),
    );
    const errors = await findErrors();
    const [first, second, third] = errors.getAllByRole('listitem').map((line) => within(line));
    expect(first?.getByRole('link', { name: 'Shop 5.3' }).getAttribute('href')).toBe(
      `/software/item?type=plugin&slug=${encodeURIComponent(SHOP)}`,
    );
    first?.getByText('Call to undefined function total()');
    first?.getByText('checkout.php:17');
    first?.getByText('REST API');
    first?.getByText('Confirmed');
    first?.getByText('new since the update');
    first?.getByText('1,200 ×');
    second?.getByText('visitor.php:2');
    second?.getByText('page of the site');
    second?.getByText('Reported, not confirmed');
    third?.getByText('old.php:1');
    expect(third?.queryByText('new since the update')).toBeNull();
    await expectAccessible('errors of a site');
  });

  it('copies the details for the vendor, without the address of the site', async () => {
    const { click } = render(itemError());
    await click('Copy details of Shop 5.3, checkout.php:17');
    await screen.findByText('Copied');
    const text = await navigator.clipboard.readText();
    expect(text.split('\n')).toEqual([
      'Item: Shop 5.3',
      'Error: Call to undefined function total()',
      'Place: checkout.php:17',
      'Request: page of the site',
      'Confirmed: yes',
      'Count: 12',
      'First: 2026-06-01T12:00:00.000Z',
      'Last: 2026-06-01T12:00:00.000Z',
      'WordPress: 6.8.2',
      'PHP: 8.3.11',
    ]);
  });

  it('shows all of many errors on request', async () => {
    const { click } = render(
      ...Array.from({ length: 12 }, (_, index) => itemError({ place: `file.php:${index}` })),
    );
    const errors = await findErrors();
    expect(errors.getAllByRole('listitem')).toHaveLength(10);
    await click('Show all 12 errors');
    expect(errors.getAllByRole('listitem')).toHaveLength(12);
  });
});
