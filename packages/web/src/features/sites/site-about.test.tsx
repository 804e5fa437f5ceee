import type { HistoryRecord } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { clientItem, clients } from '../../../test/client-fixtures.ts';
import { MOMENT, NO_HISTORY, siteDetails } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { responsesFor } from '../../../test/site-screen.ts';

const NOTE = 'Ask Anna first.\n<b>Never</b> on Fridays.';
const NAMED = siteDetails({
  name: 'Acme Shop (shop.example.com)',
  display_name: 'Acme Shop',
  client: { id: 7, name: 'Acme' },
  note: NOTE,
});

describe('the page of a site with a name, a client and a note', () => {
  it('shows them, and the note as text', async () => {
    renderScreen('/sites/1', { role: 'viewer', responses: responsesFor(NAMED) });
    await screen.findByRole('heading', { name: 'Acme Shop (shop.example.com)' });
    const about = within(await screen.findByRole('region', { name: 'Client and note' }));
    expect(about.getByRole('link', { name: 'Acme' }).getAttribute('href')).toBe(
      '/sites?client_id=7',
    );
    expect(about.getByText(/Never/).textContent).toBe(NOTE);
    expect(about.queryByRole('button')).toBeNull();
    await expectAccessible('a site with a client and a note');
  });

  it('shows in the history which client it had before', async () => {
    const record: HistoryRecord = {
      id: 5,
      at: MOMENT,
      actor: '1',
      actor_name: 'Olive',
      action: 'set_client',
      entity_type: 'site',
      context: { before: { id: 8, name: 'Bolt' }, after: { id: 7, name: 'Acme' } },
      license_name: null,
    };
    renderScreen('/sites/1', {
      responses: {
        ...responsesFor(NAMED),
        'GET /panel/sites/:id/history': { ...NO_HISTORY, history: [record] },
      },
    });
    await screen.findByText('Olive moved this site from client Bolt to client Acme');
  });
});

describe('the dialog of a site', () => {
  it('sends only the changed fields', async () => {
    const { user, panel, click, fill } = renderScreen('/sites/1', {
      role: 'manager',
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/clients': clients(clientItem()),
        'PUT /panel/sites/:id': { success: true },
      },
    });
    await click('Edit name, client and note');
    const dialog = within(await findDialog('Edit site'));
    const submit = dialog.getByRole('button', { name: 'Save changes' });
    expect(blockedReason(submit)).toBe('You have not changed anything yet.');
    dialog.getByText('Shown together with the address, shop.example.com.');
    await fill(dialog.getByLabelText('Display name'), 'Acme Shop');
    await user.click(dialog.getByRole('combobox', { name: 'Client' }));
    await user.click(await screen.findByRole('option', { name: 'Acme' }));
    await expectAccessible('the dialog of a site');
    panel.setResponses({ 'GET /panel/sites/:id': NAMED });
    await user.click(submit);
    await expectDialogClosed();
    await screen.findByRole('heading', { name: 'Acme Shop (shop.example.com)' });
    expect(panel.requests('PUT /panel/sites/:id').map(({ body }) => body)).toEqual([
      { display_name: 'Acme Shop', client_id: 7 },
    ]);

    await click('Edit name, client and note');
    const again = within(await findDialog('Edit site'));
    await fill(again.getByLabelText('Note'), '');
    await user.click(again.getByRole('button', { name: 'Save changes' }));
    await expectDialogClosed();
    expect(panel.requests('PUT /panel/sites/:id').at(-1)?.body).toEqual({ note: null });
  });
});
