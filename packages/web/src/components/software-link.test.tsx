import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../test/axe.ts';
import { overviewOfOne, runOf, SHOP, siteDetails, task, users } from '../../test/panel-fixtures.ts';
import { renderScreen } from '../../test/render-screen.tsx';
import { responsesFor } from '../../test/site-screen.ts';
import { softwareDetails } from '../../test/software-fixtures.ts';

const SHOP_PAGE = '/software/item?type=plugin&slug=shop%2Fshop.php';
const targetOf = (name: string, place: HTMLElement) =>
  within(place).getByRole('link', { name }).getAttribute('href');

describe('links to software', () => {
  it('are on the overview, for outdated plugins', async () => {
    const { click, address } = renderScreen('/', {
      role: 'viewer',
      responses: {
        'GET /panel/overview': overviewOfOne({ expiring_licenses: null }),
        'GET /panel/software/item': softwareDetails(),
      },
    });
    await screen.findByRole('link', { name: 'Shop' });
    await click('Shop', 'link');
    await screen.findByRole('heading', { name: 'Shop' });
    expect(address()).toBe(SHOP_PAGE);
  });

  it('are on the page of a site, for plugins and themes', async () => {
    renderScreen('/sites/1', { responses: responsesFor(siteDetails()) });
    const plugins = await screen.findByRole('region', { name: 'Plugins' });
    expect(targetOf(SHOP, plugins)).toBe(SHOP_PAGE);
    const themes = screen.getByRole('region', { name: 'Themes' });
    expect(targetOf('linen', themes)).toBe('/software/item?type=theme&slug=linen');
  });

  it('are in the details of a run, for all items except translations', async () => {
    const result = { success: true, old_version: '1.0', new_version: '2.0' };
    const details = {
      success: true,
      results: {
        plugins: [{ ...result, slug: SHOP, name: 'Shop' }],
        themes: [{ ...result, slug: 'linen' }],
        core: { success: true, old_version: '6.8', new_version: '6.8.1' },
        translations: [{ ...result, slug: 'de_DE' }],
      },
      errors: [],
    };
    const { user } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([task({ details })]),
      },
    });
    await user.click(
      await screen.findByRole('button', { name: /shop\.example\.com/, expanded: false }),
    );
    const items = await screen.findByRole('list', { name: 'Items' });
    expect(targetOf('Shop', items)).toBe(SHOP_PAGE);
    expect(targetOf('linen', items)).toBe('/software/item?type=theme&slug=linen');
    expect(targetOf('Core', items)).toBe('/software/item?type=core&slug=core');
    expect(within(items).getAllByRole('link')).toHaveLength(3);
    within(items).getByText('Translations');
    await expectAccessible('items of a run');
  });
});
