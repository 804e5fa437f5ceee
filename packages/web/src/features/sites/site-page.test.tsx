import type { Inventory, SiteDetails } from '@steward/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import {
  FORMS,
  licenseDetails,
  MOMENT,
  NEVER_CHECKED,
  NO_HISTORY,
  NO_TAGS,
  runOf,
  SERVICES,
  SHOP,
  STEWARD_PLUGIN,
  siteDetails,
  sites,
  task,
} from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { findBanner, responsesFor } from '../../../test/site-screen.ts';

/** Each plugin has its own row group. */
const rowOf = (plugin: string) => {
  const groups = within(screen.getByRole('region', { name: 'Plugins' })).getAllByRole('rowgroup');
  const found = groups.find((group) => group.textContent?.includes(plugin));
  if (!found) throw new Error(`There is no row of ${plugin}.`);
  return within(found);
};

describe('SitePage', () => {
  it('shows an empty state for an unknown site', async () => {
    const { click, address } = renderScreen('/sites/9000000', {
      responses: {
        'GET /panel/sites/:id': errorResponse('site_not_found'),
        'GET /panel/sites': sites([]),
        'GET /panel/tags': NO_TAGS,
      },
    });
    await screen.findByRole('heading', { name: 'There is no such site' });
    await click('Go to the sites', 'link');
    await screen.findByRole('heading', { name: 'Sites' });
    expect(address()).toBe('/sites');
  });

  it.each([
    [{ counted: true }, 'yes'],
    [{ counted: false }, 'no (local or staging address)'],
    [{ counted: true, status: 'deactivated' }, 'no (disconnected)'],
  ] as const)('shows whether the site counts toward the site limit: %o', async (site, expected) => {
    renderScreen('/sites/1', { responses: responsesFor(siteDetails(site)) });
    const term = await screen.findByText('Counts toward site limit');
    expect(term.nextElementSibling?.textContent).toBe(expected);
  });

  it('offers only an update of the Steward plugin, and explains why', async () => {
    renderScreen('/sites/1', { responses: responsesFor(siteDetails()) });
    await screen.findByRole('region', { name: 'Plugins' });
    rowOf(STEWARD_PLUGIN).getByText(/Steward needs this plugin/);
    const buttons = rowOf(STEWARD_PLUGIN).getAllByRole('button');
    expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual([
      'Update the Steward plugin…',
    ]);
  });

  it('restores a plugin or theme of which the site has a saved version', async () => {
    const details = siteDetails();
    const { plugins, themes, core } = details.site.inventory as Inventory;
    const saved_versions = ['1.2'];
    const inventory = {
      plugins: plugins.map((item) => (item.plugin === FORMS ? { ...item, saved_versions } : item)),
      themes: themes.map((item) => ({ ...item, saved_versions })),
      core,
    };
    const { user, panel, click } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails({ inventory })),
        'POST /panel/sites/restore-preview': {
          success: true,
          preview: {
            site_ids: [1],
            sites: [{ id: 1, name: 'shop.example.com' }],
            skipped: { count: 0, sites: [] },
            not_found: 0,
            versions: [{ version: '1.2', current_versions: ['5.3'], site_ids: [1] }],
          },
        },
      },
    });
    await screen.findByRole('region', { name: 'Plugins' });
    await user.click(rowOf(SHOP).getByRole('button', { name: `More actions for ${SHOP}` }));
    expect(screen.queryByRole('menuitem', { name: /Restore/ })).toBeNull();
    await user.keyboard('{Escape}');
    await user.click(rowOf(FORMS).getByRole('button', { name: `More actions for ${FORMS}` }));
    await user.click(await screen.findByRole('menuitem', { name: 'Restore previous version…' }));
    const dialog = within(await findDialog(`Restore a previous version of ${FORMS}`));
    await dialog.findByText('Version 1.2 replaces 5.3.');
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    await click('Restore previous version of linen');
    await findDialog('Restore a previous version of linen');
    await waitFor(() =>
      expect(panel.requests('POST /panel/sites/restore-preview').map(({ body }) => body)).toEqual([
        { site_ids: [1], type: 'plugin', slug: FORMS },
        { site_ids: [1], type: 'theme', slug: 'linen' },
      ]),
    );
  });

  it('stores and removes a login for HTTP basic authentication', async () => {
    let hasLogin = false;
    const { click, fill, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/sites/:id': () => siteDetails({ has_web_login: hasLogin }),
        'PUT /panel/sites/:id/web-login': () => {
          hasLogin = true;
          return { success: true };
        },
        'DELETE /panel/sites/:id/web-login': () => {
          hasLogin = false;
          return { success: true };
        },
      },
    });
    await screen.findByRole('region', { name: 'Plugins' });
    await click('none');
    const dialog = within(await findDialog('HTTP basic authentication'));
    expect(dialog.queryByRole('button', { name: 'Remove stored login' })).toBeNull();
    await fill(dialog.getByLabelText('User name'), 'staging');
    await fill(dialog.getByLabelText('Password'), 'open sesame');
    await expectAccessible('the dialog for HTTP basic authentication');
    await click('Save login');
    await expectDialogClosed();
    const [sent] = panel.requests('PUT /panel/sites/:id/web-login');
    expect(sent?.body).toEqual({ username: 'staging', password: 'open sesame' });
    await click('stored');
    await findDialog('HTTP basic authentication');
    await click('Remove stored login');
    await expectDialogClosed();
    await screen.findByRole('button', { name: 'none' });
  });

  it('marks pages to check, and shows why the panel refuses one', async () => {
    let checked_pages: string[] = [];
    const refusal = errorResponse('invalid_page_path', { error: '“checkout” cannot be checked.' });
    const { click, fill, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/sites/:id': () => siteDetails({ checked_pages }),
        'PUT /panel/sites/:id/checked-pages': ({ body }) => {
          const sent = (body as { checked_pages: string[] }).checked_pages;
          if (sent.includes('checkout')) return refusal;
          checked_pages = sent;
          return { success: true };
        },
      },
    });
    await click('chosen by the site');
    const dialog = within(await findDialog('Pages to check'));
    await fill(dialog.getByLabelText('Paths'), 'checkout');
    await expectAccessible('the dialog for pages to check');
    await click('Save pages');
    await dialog.findByText('“checkout” cannot be checked.');
    await fill(dialog.getByLabelText('Paths'), '/checkout/\n\n /form/ ');
    await click('Save pages');
    await expectDialogClosed();
    await screen.findByRole('button', { name: 'chosen by the site, and 2 marked pages' });
    expect(panel.requests('PUT /panel/sites/:id/checked-pages').at(-1)?.body).toEqual({
      checked_pages: ['/checkout/', '/form/'],
    });
  });

  it('lets an owner approve another address', async () => {
    let requested: string | null = 'https://cms.example.com/wp-json/service/v1/';
    const { click, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/sites/:id': () => siteDetails({ requested_endpoint_url: requested }),
        'POST /panel/sites/:id/approve-endpoint': () => {
          requested = null;
          return { success: true };
        },
      },
    });
    await screen.findByText('This site wants Steward to call it at a different address');
    await click('Approve address');
    within(await findDialog('Approve address')).getByText(requested);
    await expectAccessible('the dialog for another address');
    within(await findDialog('Approve address'))
      .getByRole('button', { name: 'Approve address' })
      .click();
    await expectDialogClosed();
    const [sent] = panel.requests('POST /panel/sites/:id/approve-endpoint');
    expect(sent?.body).toEqual({ endpoint_url: 'https://cms.example.com/wp-json/service/v1/' });
    expect(
      screen.queryByText('This site wants Steward to call it at a different address'),
    ).toBeNull();
  });

  it.each([
    [false, 'send the site’s key to this address'],
    [true, 'send the site’s key and its HTTP basic authentication login to this address'],
  ])(
    'states what another address receives, with a stored login: %s',
    async (has_web_login, text) => {
      const requested_endpoint_url = 'https://cms.example.com/wp-json/service/v1/';
      const { click } = renderScreen('/sites/1', {
        responses: responsesFor(siteDetails({ requested_endpoint_url, has_web_login })),
      });
      await screen.findByText('This site wants Steward to call it at a different address');
      await click('Approve address');
      within(await findDialog('Approve address')).getByText(new RegExp(text));
    },
  );

  it('states where Steward calls the site while its new address is not proven', async () => {
    const unproven_endpoint_url = 'https://shop.example.com/wp-json/service/v1/';
    const address = { proven: true, error: 'The site did not respond.' };
    renderScreen('/sites/1', {
      responses: responsesFor(siteDetails({ unproven_endpoint_url, address })),
    });
    await screen.findByText(
      /v1\/\. This new address is not proven yet, so .* address\. The site did not/,
    );
  });

  it('shows that a site uses the license key, which other sites know too', async () => {
    renderScreen('/sites/1', { responses: responsesFor(siteDetails({ key: 'license' })) });
    await screen.findByText('shared license key');
  });

  it('warns about http and unsigned calls', async () => {
    const endpoint_url = 'http://shop.example.com/cms-json/service/v1/';
    const open = { url: 'http://shop.example.com', endpoint_url, accepts_unsigned_calls: true };
    renderScreen('/sites/1', { responses: responsesFor(siteDetails(open)) });
    await screen.findByText(/Steward calls the site over http/);
    screen.getByText(/accepted from any client with the site key/);
  });

  it.each([
    ['https://cms.example.com/wp-json/service/v1/', 'none for its pages. Move the site to https'],
    ['http://cms.example.com/wp-json/service/v1/', /Steward calls the site over http/],
    ['https://shop.example.com/wp-json/service/v1/', 'none for its pages. Move the site to https'],
  ])('states what is not encrypted with the endpoint %s', async (endpoint_url, sentence) => {
    const site = siteDetails({ url: 'http://shop.example.com', endpoint_url });
    renderScreen('/sites/1', { responses: responsesFor(site) });
    await screen.findByText(sentence);
  });

  it.each([
    ['foreign_call', '/service/v1/remote/update', /executed a call that Steward did not make/],
    ['log_changed', null, /The call log of this site was altered or removed/],
  ] as const)('shows the alarm %s until it is dismissed', async (kind, route, title) => {
    const called_at = route && MOMENT;
    let alarm: SiteDetails['alarm'] = { kind, at: MOMENT, route, called_at };
    const { click, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/sites/:id': () =>
          siteDetails({ status: alarm ? 'alarm' : 'up_to_date', alarm }),
        'DELETE /panel/sites/:id/alarm': () => {
          alarm = null;
          return { success: true };
        },
      },
    });
    const banner = await findBanner();
    banner.getByText(title);
    banner.getByText(/connect it again to give it a new site key/);
    if (route) banner.getByText(route);
    await expectAccessible('a site with an alarm');
    await click('Dismiss alarm');
    await waitFor(() => expect(screen.queryByText(title)).toBeNull());
    expect(panel.requests('DELETE /panel/sites/:id/alarm')).toHaveLength(1);
  });

  it('shows a failed sync and an unreachable site next to an alarm', async () => {
    const error = 'The site did not respond.';
    const alarm = { kind: 'log_changed', at: MOMENT, route: null, called_at: null } as const;
    const fault = { code: 'site_timeout', error, at: MOMENT, run_id: 5 };
    const failed = task({ status: 'failed', code: 'site_timeout', error, http_status: null });
    const { click, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails({ status: 'alarm', alarm })),
        'POST /panel/sites/sync': runOf([failed], { run_id: 5, kind: 'sync' }),
        'GET /panel/runs/:id': runOf([failed], { run_id: 5, kind: 'sync' }),
        'POST /panel/sites/preflight': {
          success: true,
          preflight: {
            groups: [
              {
                reason: 'not_reachable',
                message: 'Not reachable.',
                is_certain: false,
                site_ids: [1],
                partial_site_ids: [],
                sites: [{ id: 1, name: 'shop.example.com', error: 'No response.', items: [] }],
              },
            ],
            warnings: [],
            certain_site_ids: [],
            without_backup: { count: 0, sites: [] },
            unchecked: { count: 0, sites: [] },
            checked: 1,
            not_found: 0,
          },
        },
      },
    });
    await screen.findByText('No response.');
    const after = siteDetails({ status: 'alarm', alarm, fault, php_version: '8.99' });
    panel.setResponses({ 'GET /panel/sites/:id': after });
    await click('Sync now');
    await screen.findByText('8.99');
    await screen.findByText(error);
  });

  it('names Node as the runtime of a site with the agent', async () => {
    renderScreen('/sites/1', {
      responses: responsesFor(siteDetails({ php_version: 'node-24.1.0' })),
    });
    expect((await screen.findByText('24.1.0')).closest('div')?.textContent).toBe('Node24.1.0');
    expect(screen.queryByText('PHP')).toBeNull();
  });

  it('explains that remote management is off', async () => {
    const { error, code } = errorResponse('remote_disabled').body;
    renderScreen('/sites/1', {
      responses: responsesFor(
        siteDetails({ status: 'remote_off', fault: { code, error, at: MOMENT, run_id: 1 } }),
      ),
    });
    (await findBanner()).getByText(/Turn on remote management in the plugin’s settings/);
    await expectAccessible('a site with Remote off');
  });

  it('explains that the license is suspended', async () => {
    const { user, address } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(
          siteDetails({
            status: 'license_invalid',
            remote: {
              possible: false,
              obstacle: 'license_invalid',
              can_choose_updates: true,
              can_log_in: true,
            },
            license: { ...siteDetails().site.license, id: 7, status: 'suspended' },
          }),
        ),
        'GET /panel/licenses/:id': licenseDetails({ id: 7, status: 'suspended', valid: false }),
        'GET /api/v1/services': SERVICES,
      },
    });
    const banner = await findBanner();
    banner.getByText('The license of this site is suspended.');
    screen.getByText('license suspended');
    banner.getByText(/To manage it again, resume the license/);
    screen.getByText(/, suspended$/);
    const isDisabled = (name: string) =>
      blockedReason(screen.getByRole('button', { name })) !== null;
    expect(isDisabled('Sync now')).toBe(true);
    expect(isDisabled(`Update ${SHOP}`)).toBe(true);
    await user.click(banner.getByRole('link', { name: 'Open license' }));
    await screen.findByRole('heading', { name: 'License …C38HP5' });
    expect(address()).toBe('/licenses/7');
  });

  it('shows a viewer the site without actions', async () => {
    renderScreen('/sites/1', {
      role: 'viewer',
      responses: {
        'GET /panel/sites/:id': siteDetails(),
        'GET /panel/sites/:id/reachability': NEVER_CHECKED,
        'GET /panel/sites/:id/history': NO_HISTORY,
      },
    });
    await screen.findByRole('region', { name: 'Plugins' });
    rowOf(SHOP);
    expect(screen.queryByRole('button', { name: /Sync|Update|ctivate|More actions/ })).toBeNull();
    expect(screen.queryByRole('combobox', { name: 'Tags' })).toBeNull();
    screen.getByText(/^Agency/);
    expect(screen.queryByRole('link', { name: /^Agency/ })).toBeNull();
  });

  it('hides other sites from a viewer', async () => {
    renderScreen('/sites/2', {
      role: 'viewer',
      responses: { 'GET /panel/sites/:id': errorResponse('site_not_found') },
    });
    await screen.findByRole('heading', { name: 'There is no such site' });
  });

  it('shows the error when a site has too many tags', async () => {
    const { error, code } = errorResponse('too_many_tags').body;
    const { user, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'POST /panel/sites/tags': {
          success: false,
          changed: 0,
          refused: [{ site_id: 1, code, error }],
        },
      },
    });
    await user.type(await screen.findByRole('combobox', { name: 'Tags' }), 'mine{Enter}');
    await screen.findByText(/A site can have at most 20 tags/);
    expect(panel.requests('POST /panel/sites/tags').map(({ body }) => body)).toEqual([
      { site_ids: [1], add: ['mine'], remove: [] },
    ]);
  });

  it('shows the inventory of a site that has never reported, after a sync', async () => {
    const never = siteDetails({ inventory: null, inventory_at: null });
    const synced = runOf([task({ site_id: 1 })], { kind: 'sync' });
    const { click, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(never),
        'POST /panel/sites/sync': synced,
        'GET /panel/runs/:id': synced,
      },
    });
    await screen.findByRole('heading', { name: 'This site has not reported yet' });
    panel.setResponses({ 'GET /panel/sites/:id': siteDetails() });
    await click('Sync now');
    await screen.findByRole('region', { name: 'Plugins' });
    rowOf(SHOP);
    expect(panel.requests('POST /panel/sites/sync')).toHaveLength(1);
  });

  it('loads older history', async () => {
    const tagged = (id: number, tag: string) => ({
      id,
      at: MOMENT,
      actor: '1',
      actor_name: 'Olive',
      license_name: null,
      action: 'tag',
      entity_type: 'site',
      context: { added: [tag], removed: [] },
    });
    const { click, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/sites/:id/history': ({ query }) => ({
          success: true,
          history: query.before ? [tagged(1, 'older')] : [tagged(2, 'newer')],
          next_before: query.before ? null : 2,
        }),
      },
    });
    const history = within(await screen.findByRole('list', { name: 'History' }));
    await history.findByText(/added the tag “newer/);
    expect(history.queryByText(/added the tag “older/)).toBeNull();
    await click('Load older history');
    await history.findByText(/added the tag “older/);
    expect(panel.requests('GET /panel/sites/:id/history')).toHaveLength(2);
  });
});
