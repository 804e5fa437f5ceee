import type { LoginUser } from '@steward/contract';
import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { siteDetails } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { responsesFor } from '../../../test/site-screen.ts';

const ANNA: LoginUser = { id: 7, login: 'anna', name: 'Anna Berg', role: 'Editor' };
const BEN: LoginUser = { id: 8, login: 'ben', name: 'Ben Adu', role: 'Administrator' };

async function openDialog(users: LoginUser[], site = siteDetails()) {
  const rendered = renderScreen('/sites/1', {
    role: 'manager',
    responses: {
      ...responsesFor(site),
      'GET /panel/sites/:id/login-users': { success: true, users },
    },
  });
  await rendered.click('Log in to WordPress');
  return { ...rendered, dialog: within(await findDialog('Log in to WordPress')) };
}

describe('the dialog to log in to WordPress', () => {
  it('posts the chosen user to a new tab, and closes', async () => {
    const { user, dialog } = await openDialog([ANNA, BEN]);
    await dialog.findByText('Anna Berg – Editor');
    await user.click(dialog.getByRole('radio', { name: 'ben' }));
    await expectAccessible('the dialog to log in to WordPress');
    const button = dialog.getByRole('button', { name: 'Log in as ben' }) as HTMLButtonElement;
    const form = button.form as HTMLFormElement;
    expect([form.method, form.getAttribute('action'), form.target]).toEqual([
      'post',
      '/panel/sites/1/login',
      '_blank',
    ]);
    expect(form.getAttribute('rel')).toBe('noopener');
    const fields = Object.fromEntries(new FormData(form));
    expect(fields).toMatchObject({ user: '8', csrf_token: expect.stringMatching(/./) });
    // jsdom sends no forms.
    fireEvent.submit(form);
    await expectDialogClosed();
  });

  it('says how to allow it on a site that does not, without a call', async () => {
    const site = siteDetails();
    site.site.remote.can_log_in = false;
    const { dialog, panel } = await openDialog([], site);
    await dialog.findByText(/does not allow log-in from Steward yet\. In the WordPress admin/);
    const link = dialog.getByRole('link', { name: 'Open the settings of the plugin' });
    expect(link.getAttribute('href')).toBe(
      'https://shop.example.com/wp-admin/options-general.php?page=steward',
    );
    expect(panel.requests('GET /panel/sites/:id/login-users')).toEqual([]);
  });

  it('says what to do if no chosen user can be used', async () => {
    const { dialog } = await openDialog([]);
    await dialog.findByText(/their roles have changed/);
  });

  it('is not offered to a viewer', async () => {
    renderScreen('/sites/1', { role: 'viewer', responses: responsesFor(siteDetails()) });
    await screen.findByRole('region', { name: 'Plugins' });
    expect(screen.queryByRole('button', { name: 'Log in to WordPress' })).toBeNull();
  });
});
