import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { limitPreview } from '../../../test/limit-preview.ts';
import {
  licenseDetails,
  licenseSummary,
  licenses,
  MOMENT,
  plans,
  SERVICES,
} from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';

const NO_SECOND_FACTOR = {
  success: true as const,
  second_factors: { totp: false, backup_codes: 0, passkeys: [], required: false },
};

describe('a link to a missing license', () => {
  it.each([
    ['999999', 'not_found'],
    ['abc', 'invalid_request'],
  ] as const)('reports %s as missing, and links to the list', async (id, code) => {
    const { click, address } = renderScreen(`/licenses/${id}`, {
      responses: {
        'GET /panel/licenses/:id': errorResponse(code),
        'GET /panel/licenses': licenses(),
        'GET /panel/plans': plans(),
      },
    });
    await screen.findByRole('heading', { name: 'There is no such license' });
    await click('Go to the licenses', 'link');
    await screen.findByRole('heading', { name: 'Licenses' });
    expect(address()).toBe('/licenses');
  });
});

describe('licenses for users who are not owners', () => {
  it.each(['/licenses', '/licenses/1'])(
    'are not in the rail, and %s refers to an owner',
    async (path) => {
      renderScreen(path, { role: 'manager' });
      await screen.findByRole('heading', { name: 'This page is for owners' });
      screen.getByText(/Ask an owner if you need a license/);
      expect(screen.queryByRole('link', { name: /Licenses/ })).toBeNull();
      expect(screen.queryByRole('button', { name: /Create license/ })).toBeNull();
      await expectAccessible('licenses for a manager');
    },
  );
});

/** As many sites as the page of a license lists. */
const SITES = Array.from({ length: 100 }, (_, index) => ({
  site_id: index + 1,
  site_url: `https://many-${index + 1}.example.com`,
  site_name: `many-${index + 1}.example.com`,
  status: 'active' as const,
  counted: true,
  key: 'site' as const,
  cms_version: '6.8.2',
  php_version: '8.3.11',
  plugin_version: '0.1.0',
  activated_at: MOMENT,
  last_check_at: MOMENT,
}));

describe('the sites of a license', () => {
  it('can be viewed in the list of sites and disconnected', async () => {
    const site = {
      site_id: 7,
      site_url: 'https://shop.example.com',
      site_name: 'shop.example.com',
      status: 'active' as const,
      counted: true,
      key: 'site' as const,
      cms_version: '6.8.2',
      php_version: 'node-24.1.0',
      plugin_version: '0.1.0',
      activated_at: MOMENT,
      last_check_at: MOMENT,
    };
    const { click } = renderScreen('/licenses/1', {
      responses: {
        'GET /api/v1/services': SERVICES,
        'GET /panel/licenses/:id': licenseDetails({ activations: [site], activations_total: 1 }),
      },
    });
    const link = await screen.findByRole('link', { name: 'View in Sites' });
    expect(link.getAttribute('href')).toBe('/sites?license_id=1');
    screen.getByRole('cell', { name: 'Yes' });
    screen.getByRole('cell', { name: 'CMS 6.8.2, Node 24.1.0, Steward 0.1.0' });
    await click('Disconnect site shop.example.com');
    const dialog = await findDialog('Disconnect site');
    expect(dialog.textContent).toContain(
      'This removes the license from shop.example.com and frees its seat. The site keeps running',
    );
  });

  it('are limited to the newest hundred, but all are counted', async () => {
    const details = licenseDetails({
      activations: SITES,
      activations_total: 102,
      sites_used: 101,
      uncounted_sites: 1,
    });
    const { click } = renderScreen('/licenses/1', {
      responses: { 'GET /api/v1/services': SERVICES, 'GET /panel/licenses/:id': details },
    });
    await screen.findByText('Showing the newest 100 of 102.');
    await click('Revoke license');
    within(await findDialog()).getByText(/It disconnects 102 sites\./);
  });
});

describe('changing a license', () => {
  const withLimit = (site_limit: number | null) => ({
    sites_used: 2,
    site_limit,
    sites_remaining: site_limit === null ? null : Math.max(0, site_limit - 2),
  });

  it('previews a new site limit before it is saved', async () => {
    let license = licenseDetails(withLimit(5));
    const { user, panel, click, fill } = renderScreen('/licenses/1', {
      responses: {
        'GET /api/v1/services': SERVICES,
        'GET /panel/licenses/:id': () => license,
        'GET /panel/licenses/:id/limit-preview': ({ query }) => limitPreview(query.site_limit, 2),
        'POST /panel/licenses/:id/set-limit': ({ body }) => {
          const { site_limit } = body as { site_limit: number | null };
          license = licenseDetails(withLimit(site_limit));
          return { success: true, license: licenseSummary(withLimit(site_limit)) };
        },
      },
    });
    await screen.findByRole('heading', { name: 'License …C38HP5' });
    const bodies = () =>
      panel.requests('POST /panel/licenses/:id/set-limit').map(({ path, body }) => [path, body]);

    await click('Change limit');
    let dialog = within(await findDialog());
    await dialog.findByText(/3 more can be added\./);
    await fill(dialog.getByLabelText('Site limit'), '1');
    await dialog.findByText(/Existing sites stay; remove 2 before adding another/);
    await expectAccessible('change limit');
    await fill(dialog.getByLabelText('Site limit'), '0');
    await dialog.findByText('Enter a whole number from 1 to 1,000,000.', { ignore: '[hidden]' });
    await user.click(dialog.getByLabelText('Unlimited sites'));
    await dialog.findByText(/Any number of sites can be added\./);
    await user.click(dialog.getByRole('button', { name: 'Change limit' }));
    await screen.findByText('2 used, no limit');
    await expectDialogClosed();
    expect(bodies()).toEqual([['/panel/licenses/1/set-limit', { site_limit: null }]]);

    await click('Change limit');
    dialog = within(await findDialog());
    await user.click(dialog.getByLabelText('Unlimited sites'));
    await fill(dialog.getByLabelText('Site limit'), '4');
    await user.click(dialog.getByRole('button', { name: 'Change limit' }));
    await screen.findByText('2 of 4');
    expect(bodies()[1]).toEqual(['/panel/licenses/1/set-limit', { site_limit: 4 }]);
  });

  it('replaces the key, shows it once and counts the sites with the old key', async () => {
    const NEW_KEY = 'STWD-0000000-0000000-0000000-000000X';
    const rotation = {
      old_key_last_six: 'C38HP5',
      ends_at: '2026-12-01T10:00:00.000Z',
      has_ended: false,
      sites_left: 2,
    };
    let license = licenseDetails();
    let isConfirmed = false;
    const { user, panel, click, fill } = renderScreen('/licenses/1', {
      responses: {
        'GET /api/v1/services': SERVICES,
        'GET /panel/licenses/:id': () => license,
        'GET /panel/account/second-factors': NO_SECOND_FACTOR,
        'POST /auth/confirm': () => {
          isConfirmed = true;
          return { success: true };
        },
        'POST /panel/licenses/:id/rotate-key': () => {
          if (!isConfirmed) return errorResponse('confirmation_required');
          license = licenseDetails({ key_last_six: '00000X', rotation });
          return { success: true, license: { ...licenseSummary(), license_key: NEW_KEY } };
        },
        'POST /panel/licenses/:id/end-old-key': () => {
          license = licenseDetails({ rotation: { ...rotation, has_ended: true } });
          return { success: true, license: licenseSummary() };
        },
      },
    });
    await screen.findByRole('heading', { name: 'License …C38HP5' });
    await click('Replace key');
    const dialog = within(await findDialog());
    await fill(dialog.getByLabelText('Days until the old key expires'), '7');
    await expectAccessible('replace key');
    const replace = () => user.click(dialog.getByRole('button', { name: 'Replace key' }));
    const findConfirmation = () => screen.findByRole('dialog', { name: 'Confirm your identity' });
    await replace();
    await findConfirmation();
    // Escape closes only the upper dialog, which has the keyboard.
    await user.keyboard('{Escape}');
    await waitFor(() =>
      expect(screen.queryByRole('dialog', { name: 'Confirm your identity' })).toBeNull(),
    );
    dialog.getByLabelText('Days until the old key expires');
    await replace();
    const confirmation = within(await findConfirmation());
    await fill(await confirmation.findByLabelText('Your password'), 'correct horse battery');
    await user.click(confirmation.getByRole('button', { name: 'Confirm' }));
    await dialog.findByDisplayValue(NEW_KEY);
    await user.click(dialog.getByRole('button', { name: 'Done' }));
    await expectDialogClosed();
    expect(panel.requests('POST /panel/licenses/:id/rotate-key').at(-1)?.body).toEqual({
      old_key_days: 7,
    });

    await screen.findByText('2 sites do not use the current key');
    screen.getByText(/Enter the new key on these sites\. Where the old key is still accepted/);
    await click('Expire old key now');
    const ending = within(await findDialog());
    ending.getByText('2 sites have no connection until you enter the new key on them.');
    await user.click(ending.getByRole('button', { name: 'Expire old key' }));
    await screen.findByText(/expired on .* Enter the new key on these sites\.$/);
  });

  it('says that the old key of a revoked license is refused, although it has not expired', async () => {
    const rotation = {
      ...{ old_key_last_six: 'OLDOLD', ends_at: '2999-12-01T10:00:00.000Z' },
      ...{ has_ended: false, sites_left: 0 },
    };
    const license = licenseDetails({ status: 'revoked', valid: false, rotation });
    renderScreen('/licenses/1', {
      responses: { 'GET /api/v1/services': SERVICES, 'GET /panel/licenses/:id': license },
    });
    const title = await screen.findByText('This license is revoked');
    expect(title.closest('[role=alert]')?.textContent).toBe(
      'This license is revokedThe old key …OLDOLD is not accepted anymore, and neither is the current key.',
    );
    expect(screen.queryByRole('button', { name: 'Expire old key now' })).toBeNull();
    screen.getByText('Not valid any more');
  });

  it('suspends and resumes it', async () => {
    const suspended = licenseDetails({ status: 'suspended', valid: false });
    const { user, panel, click } = renderScreen('/licenses/1', {
      responses: {
        'GET /api/v1/services': SERVICES,
        'GET /panel/licenses/:id': licenseDetails(),
        'POST /panel/licenses/:id/suspend': { success: true, license: licenseSummary() },
        'POST /panel/licenses/:id/resume': { success: true, license: licenseSummary() },
      },
    });
    const confirm = async (name: string) => {
      await screen.findByRole('button', { name });
      await click(name);
      await user.click(within(await findDialog()).getByRole('button', { name }));
      await expectDialogClosed();
    };
    await screen.findByRole('button', { name: 'Connect a site' });
    panel.setResponses({ 'GET /panel/licenses/:id': suspended });
    await confirm('Suspend license');
    await screen.findByText('suspended');
    // No site can connect with a suspended license.
    expect(screen.queryByRole('button', { name: 'Connect a site' })).toBeNull();
    panel.setResponses({ 'GET /panel/licenses/:id': licenseDetails() });
    await confirm('Resume license');
    await screen.findByText('active');
  });

  it('explains what happens to the sites of a suspended license', async () => {
    const { click } = renderScreen('/licenses/1', {
      responses: { 'GET /api/v1/services': SERVICES, 'GET /panel/licenses/:id': licenseDetails() },
    });
    await screen.findByRole('heading', { name: 'License …C38HP5' });
    await click('Suspend license');
    within(await findDialog()).getByText(/^Steward stops updating the sites of this license/);
  });

  it.each([
    ['Suspend license', 'POST /panel/licenses/:id/suspend', undefined],
    ['Change expiry', 'POST /panel/licenses/:id/extend', { expires_at: null }],
  ] as const)(
    'shows in the dialog why "%s" was refused after another owner revoked the license',
    async (name, route, body) => {
      const error = 'License 1 is revoked, which cannot be undone. Create a new license.';
      const { user, panel, click } = renderScreen('/licenses/1', {
        responses: {
          'GET /api/v1/services': SERVICES,
          'GET /panel/licenses/:id': licenseDetails({ expires_at: '2199-01-31T22:59:59.000Z' }),
          [route]: errorResponse('license_revoked', { error }),
        },
      });
      await screen.findByRole('heading', { name: 'License …C38HP5' });
      await click(name);
      const dialog = within(await findDialog());
      if (body) {
        // Nothing is changed yet.
        expect(blockedReason(dialog.getByRole('button', { name }))).not.toBeNull();
        await user.click(dialog.getByLabelText('Never expires'));
      }
      panel.setResponses({
        'GET /panel/licenses/:id': licenseDetails({ status: 'revoked', valid: false }),
      });
      await user.click(dialog.getByRole('button', { name }));
      const alert = within(await dialog.findByRole('alert'));
      alert.getByText(/is revoked, which cannot be undone/);
      expect(panel.requests(route).map((request) => request.body)).toEqual([body]);
      await user.click(dialog.getByRole('button', { name: 'Cancel' }));
      await screen.findByText(/This license was revoked and cannot be restored/);
    },
  );
});
