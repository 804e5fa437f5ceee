import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { errorResponse, type PanelResponses } from '../../../test/fake-panel.ts';
import {
  licenseDetails,
  licenseSummary,
  licenses,
  MOMENT,
  NO_TAGS,
  panelSettings,
  plans,
  SERVICES,
  sites,
} from '../../../test/panel-fixtures.ts';
import { findDialog, renderScreen } from '../../../test/render-screen.tsx';

const EXPIRES_AT = '2031-05-02T10:00:00.000Z';
const newCodes = (count: number) => ({
  success: true as const,
  enrolment_codes: Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    code: `STWE-CODE00${index + 1}`,
    plugin_url: `https://panel.example.com/api/v1/plugin/STWE-CODE00${index + 1}/steward.zip`,
    expires_at: EXPIRES_AT,
  })),
});

const NAMED = licenseSummary({ id: 1, name: 'Studio Berlin', customer: 'Müller GmbH' });

const NEW_SITE = {
  ...{ site_id: 9, site_url: 'https://new.example.com', site_name: 'new.example.com' },
  status: 'active' as const,
  ...{ counted: true, activated_at: MOMENT, last_check_at: null, key: 'site' as const },
  ...{ cms_version: '6.8', php_version: '8.3', plugin_version: '0.1.0' },
};

const RESPONSES: PanelResponses = {
  'GET /api/v1/services': SERVICES,
  'GET /panel/sites': sites([]),
  'GET /panel/tags': NO_TAGS,
  'GET /panel/plans': plans(),
  'GET /panel/settings': panelSettings(),
  'GET /panel/licenses': licenses(NAMED, licenseSummary({ id: 2, key_last_six: 'AAAAA2' })),
  'GET /panel/licenses/:id': licenseDetails(),
  'POST /panel/licenses/:id/enrolment-codes': ({ body }) =>
    newCodes((body as { count: number }).count),
};

async function openDialog(path = '/sites', responses: PanelResponses = {}) {
  const view = renderScreen(path, { responses: { ...RESPONSES, ...responses } });
  await screen.findByRole('button', { name: 'Connect a site' });
  await view.click('Connect a site');
  const dialog = within(await findDialog('Connect a site'));
  return {
    ...view,
    dialog,
    readField: (label: string) => dialog.getByLabelText<HTMLInputElement>(label).value,
  };
}

describe('the dialog "Connect a site"', () => {
  it('gives a WP-CLI command for the chosen license, and links to the site that connects', async () => {
    const { user, dialog, panel, readField, address } = await openDialog();
    await dialog.findByDisplayValue('Studio Berlin …C38HP5');
    await user.click(dialog.getByRole('combobox', { name: 'License' }));
    await user.click(await screen.findByRole('option', { name: 'Agency …AAAAA2' }));
    await user.click(dialog.getByRole('tab', { name: 'WP-CLI' }));
    await user.click(dialog.getByRole('button', { name: 'Create command' }));
    await dialog.findByText(/The code connects one site and is valid until May 2, 2031/);
    expect(readField('WP-CLI command')).toBe(
      "wp plugin install 'https://panel.example.com/api/v1/plugin/STWE-CODE001/steward.zip' --activate",
    );
    expect(
      panel
        .requests('POST /panel/licenses/:id/enrolment-codes')
        .map(({ path, body }) => [path, body]),
    ).toEqual([['/panel/licenses/2/enrolment-codes', { count: 1 }]]);
    await expectAccessible('connect with WP-CLI');
    panel.setResponses({
      'GET /panel/licenses/:id': licenseDetails({
        id: 2,
        activations_total: 1,
        activations: [NEW_SITE],
      }),
      'GET /panel/sites/:id': errorResponse('site_not_found'),
    });
    await user.click(
      await dialog.findByRole('link', { name: 'new.example.com' }, { timeout: 5000 }),
    );
    await waitFor(() => expect(address()).toBe('/sites/9'));
  });

  it('accepts a license from the cached list when the dialog opens again', async () => {
    const { user, dialog, click } = await openDialog();
    await user.click(await dialog.findByRole('combobox', { name: 'License' }));
    await screen.findByRole('option', { name: 'Agency …AAAAA2' });
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await click('Connect a site');
    const reopened = within(await findDialog('Connect a site'));
    // The page has the list in its cache, so it does not load the list again.
    await user.click(await reopened.findByRole('combobox', { name: 'License' }));
    await user.click(await screen.findByRole('option', { name: 'Agency …AAAAA2' }));
    await reopened.findByDisplayValue('Agency …AAAAA2');
    reopened.getByRole('tab', { name: 'WP-CLI' });
  });

  it('keeps the suggested license when a site has used its last seat', async () => {
    const { dialog, panel } = await openDialog();
    await dialog.findByDisplayValue('Studio Berlin …C38HP5');
    await dialog.findByText('Waiting for the site to connect');
    const loads = panel.requests('GET /panel/licenses').length;
    panel.setResponses({
      'GET /panel/licenses': licenses(
        { ...NAMED, site_limit: 1, sites_used: 1, sites_remaining: 0 },
        licenseSummary({ id: 2, key_last_six: 'AAAAA2' }),
      ),
      'GET /panel/licenses/:id': licenseDetails({ activations_total: 1, activations: [NEW_SITE] }),
    });
    await waitFor(
      () => expect(panel.requests('GET /panel/licenses').length).toBeGreaterThan(loads),
      { timeout: 5000 },
    );
    await dialog.findByRole('link', { name: 'new.example.com' });
    dialog.getByDisplayValue('Studio Berlin …C38HP5');
  });

  it('does not announce a site that connected before the dialog opened', async () => {
    const earlier = {
      ...{ ...NEW_SITE, site_id: 8 },
      ...{ site_url: 'https://earlier.example.com', site_name: 'earlier.example.com' },
    };
    const view = renderScreen('/licenses/1', { responses: RESPONSES });
    await screen.findByRole('heading', { name: 'License …C38HP5' });
    // The page has loaded the license before this site connected.
    view.panel.setResponses({
      'GET /panel/licenses/:id': licenseDetails({ activations_total: 1, activations: [earlier] }),
    });
    await view.click('Connect a site');
    const dialog = within(await findDialog('Connect a site'));
    await dialog.findByText('Waiting for the site to connect');
    await screen.findByText('earlier.example.com');
    view.panel.setResponses({
      'GET /panel/licenses/:id': licenseDetails({
        activations_total: 2,
        activations: [NEW_SITE, earlier],
      }),
    });
    await dialog.findByRole('link', { name: 'new.example.com' }, { timeout: 5000 });
    expect(dialog.queryByRole('link', { name: 'earlier.example.com' })).toBeNull();
  });

  it('keeps the codes if the list of licenses cannot be loaded again', async () => {
    const { dialog, panel, user, readField } = await openDialog();
    await user.click(await dialog.findByRole('tab', { name: 'WP-CLI' }));
    await user.click(dialog.getByRole('button', { name: 'Create command' }));
    await dialog.findByLabelText('WP-CLI command');
    panel.setResponses({
      'GET /panel/licenses': errorResponse('rate_limited'),
      'GET /panel/licenses/:id': licenseDetails({ activations_total: 1, activations: [NEW_SITE] }),
    });
    const loads = panel.requests('GET /panel/licenses').length;
    await waitFor(
      () => expect(panel.requests('GET /panel/licenses').length).toBeGreaterThan(loads),
      { timeout: 5000 },
    );
    await dialog.findByRole('link', { name: 'new.example.com' });
    expect(readField('WP-CLI command')).toContain('STWE-CODE001');
  });

  it('creates several codes for wp-config.php', async () => {
    const { user, dialog, fill, readField } = await openDialog('/licenses/1');
    await user.click(dialog.getByRole('tab', { name: 'wp-config.php' }));
    const count = dialog.getByLabelText('Number of sites');
    await fill(count, '101');
    await dialog.findByText('Enter a whole number from 1 to 100.');
    await fill(count, '3');
    await user.click(dialog.getByRole('button', { name: 'Create 3 codes' }));
    await dialog.findByText(/Each code connects one site and is valid until/);
    expect(readField('Enrolment codes, one per line')).toBe(
      'STWE-CODE001\nSTWE-CODE002\nSTWE-CODE003',
    );
    expect(readField('Lines for wp-config.php')).toContain(
      "define( 'STEWARD_PANEL_URL', 'https://panel.example.com' );",
    );
    await fill(count, '1');
    await user.click(dialog.getByRole('button', { name: 'Create code' }));
    await waitFor(() =>
      expect(readField('Lines for wp-config.php')).toContain(
        "define( 'STEWARD_ENROLMENT_CODE', 'STWE-CODE001' );",
      ),
    );
    await expectAccessible('connect with wp-config.php');
    // Other tabs have codes of their own: a code connects one site.
    await user.click(dialog.getByRole('tab', { name: 'Other CMS' }));
    expect(readField('Command to start the agent')).toBe(
      'LICENSE_KEY=YOUR-CODE npx --no-install steward-agent \\\n  --root ./site --feed ./feed \\\n' +
        '  --site-url http://127.0.0.1:8090 \\\n  --panel https://panel.example.com',
    );
  });

  it.each([
    ['local', /Sites on the internet cannot reach it/],
    ['not_https', /without encryption/],
  ] as const)('warns if the address of the panel is %s', async (reach, warning) => {
    const { dialog } = await openDialog('/licenses/1', {
      'GET /panel/settings': panelSettings(reach),
    });
    await dialog.findByText('The address of this panel is https://panel.example.com');
    dialog.getByText(warning);
  });

  it('says that a license has no free seats', async () => {
    const full = { site_limit: 1, sites_used: 1, sites_remaining: 0 };
    const { dialog } = await openDialog('/licenses/1', {
      'GET /panel/licenses/:id': licenseDetails(full),
      'GET /panel/licenses': licenses(licenseSummary(full)),
    });
    await dialog.findByText(/^This license has no free seats\./);
  });

  it('shows why the download of the zip failed', async () => {
    const { dialog, user } = await openDialog('/licenses/1', {
      'GET /api/v1/plugin/:code/steward.zip': errorResponse('base_url_missing'),
    });
    await user.click(dialog.getByRole('button', { name: 'Download plugin' }));
    await dialog.findByText(/Start Steward with BASE_URL set to that address/);
  });

  it('creates a license first if there is none', async () => {
    const { dialog, user } = await openDialog('/sites', {
      'GET /panel/licenses': licenses(),
      'POST /panel/licenses': { success: true, license: { ...NAMED, license_key: 'STWD-KEY' } },
    });
    await dialog.findByText('Create a license first');
    await user.click(dialog.getByRole('combobox', { name: 'Plan' }));
    await user.paste('Agency');
    await user.click(dialog.getByLabelText('Unlimited sites'));
    await user.click(dialog.getByRole('button', { name: 'Create license' }));
    await dialog.findByRole('tab', { name: 'Plugin zip' });
  });

  it('tells other users to ask an owner', async () => {
    const { click, panel } = renderScreen('/sites', {
      role: 'manager',
      responses: { 'GET /panel/sites': sites([]), 'GET /panel/tags': NO_TAGS },
    });
    const button = await screen.findByRole('button', { name: 'Connect a site' });
    expect(blockedReason(button)).toMatch(/Ask an owner to connect the site/);
    await click('Connect a site');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(panel.requests('GET /panel/licenses')).toEqual([]);
  });
});
