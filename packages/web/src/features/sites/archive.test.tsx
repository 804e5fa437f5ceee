import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { MOMENT, NO_TAGS, siteDetails, siteItem, sites } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { responsesFor } from '../../../test/site-screen.ts';

const TWO = sites([siteItem(), siteItem({ id: 2, name: 'blog.example.com' })]);
const CHANGED = { success: true as const, changed: 2, not_found: 0 };

describe('archiving sites', () => {
  it('names the number of sites and the effects, and clears the selection', async () => {
    const { user, click, panel } = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': TWO,
        'GET /panel/tags': NO_TAGS,
        'POST /panel/sites/archive': CHANGED,
      },
    });
    await user.click(await screen.findByLabelText('Select the 2 loaded sites'));
    await click('More actions');
    await user.click(await screen.findByRole('menuitem', { name: 'Archive…' }));
    const dialog = within(await findDialog('Archive 2 sites'));
    dialog.getByText(/disconnects these 2 sites, frees their seats/);
    await expectAccessible('archive sites');
    panel.setResponses({ 'GET /panel/sites': sites([]) });
    await user.click(dialog.getByRole('button', { name: 'Archive 2 sites' }));
    await screen.findByText('2 sites archived.');
    await expectDialogClosed();
    expect(panel.requests('POST /panel/sites/archive')[0]?.body).toEqual({ site_ids: [1, 2] });
    await waitFor(() => expect(screen.queryByText('2 sites selected')).toBeNull());
  });

  it('is not offered to managers', async () => {
    const { user, click } = renderScreen('/sites', {
      role: 'manager',
      responses: { 'GET /panel/sites': TWO, 'GET /panel/tags': NO_TAGS },
    });
    await user.click(await screen.findByLabelText('Select the 2 loaded sites'));
    await click('More actions');
    await screen.findByRole('menuitem', { name: 'Install…' });
    expect(screen.queryByRole('menuitem', { name: 'Archive…' })).toBeNull();
  });
});

describe('archived sites', () => {
  it('are found with the status filter, and can be restored', async () => {
    const archived = sites([siteItem({ status: 'deactivated', archived_at: MOMENT })]);
    const { user, click, panel, address } = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': ({ query }) => (query.archived ? archived : TWO),
        'GET /panel/tags': NO_TAGS,
        'POST /panel/sites/unarchive': { ...CHANGED, changed: 1 },
      },
    });
    await user.click(await screen.findByRole('combobox', { name: 'Status' }));
    await user.click(await screen.findByRole('option', { name: 'Archived' }));
    await waitFor(() => expect(address()).toBe('/sites?archived=true'));
    await user.click(await screen.findByLabelText('Select the loaded site'));
    expect(screen.queryByRole('button', { name: /^Update \d/ })).toBeNull();
    await click('Restore to the list');
    await screen.findByText('1 site restored to the list.');
    expect(panel.requests('POST /panel/sites/unarchive')[0]?.body).toEqual({ site_ids: [1] });
  });

  it('show on their page that they are archived', async () => {
    renderScreen('/sites/1', {
      responses: responsesFor(siteDetails({ status: 'deactivated', archived_at: MOMENT })),
    });
    await screen.findByText(/This site was archived on/);
    screen.getByRole('button', { name: 'Restore to the list' });
    expect(screen.queryByText('This site is disconnected from its license.')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Archive site' })).toBeNull();
  });
});
