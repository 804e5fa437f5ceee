import type { SavedView } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { expectAccessible } from '../../test/axe.ts';
import { NO_TAGS, siteItem, sites } from '../../test/panel-fixtures.ts';
import { renderScreen } from '../../test/render-screen.tsx';

const view: SavedView = {
  id: 1,
  page: 'sites',
  name: 'Failing',
  query: 'search=shop&status=failing',
};

function open(path: string, views: SavedView[]) {
  return renderScreen(path, {
    responses: {
      'GET /panel/sites': sites([siteItem({ name: 'shop.example.com' })]),
      'GET /panel/tags': NO_TAGS,
      'GET /panel/account/views': { success: true, views },
      'POST /panel/account/views': ({ body }) => ({
        success: true,
        view: { id: 1, ...(body as Omit<SavedView, 'id'>) },
      }),
      'DELETE /panel/account/views/:id': { success: true },
    },
  });
}

it('saves what the list shows, under a name', async () => {
  const { user, panel, click } = open('/sites?status=failing&search=shop', []);
  await click('Views');
  await screen.findByText('No saved views yet.');
  await user.click(screen.getByRole('menuitem', { name: 'Save this view…' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText('Name'), 'Failing');
  await expectAccessible('save a view');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved the view “Failing”.');
  expect(panel.requests('POST /panel/account/views').map(({ body }) => body)).toEqual([
    { page: 'sites', name: 'Failing', query: 'search=shop&status=failing' },
  ]);
});

it('opens a view with its filters, also in the search field', async () => {
  const { user, panel, click } = open('/sites?tag=other', [
    view,
    { ...view, id: 2, page: 'audit' },
  ]);
  await screen.findByText('shop.example.com');
  await click('Views');
  await user.click(await screen.findByRole('menuitem', { name: 'Failing' }));
  await screen.findByRole('button', { name: 'Failing' });
  expect(screen.getByPlaceholderText('Name or address')).toHaveProperty('value', 'shop');
  expect(panel.requests('GET /panel/sites').at(-1)?.query).toMatchObject({
    search: 'shop',
    status: 'failing',
  });
});

it('deletes the open view, and can undo it', async () => {
  const { user, panel, click } = open('/sites?search=shop&status=failing', [view]);
  await click('Failing');
  await user.click(await screen.findByRole('menuitem', { name: 'Delete “Failing”' }));
  await click('Undo');
  await expect.poll(() => panel.requests('POST /panel/account/views')).toHaveLength(1);
  expect(panel.requests('DELETE /panel/account/views/:id')).toHaveLength(1);
});
