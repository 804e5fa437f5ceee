import type { RolloutSiteState } from '@steward/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { errorResponse, type PanelResponses } from '../../../test/fake-panel.ts';
import { inDays, MOMENT } from '../../../test/panel-fixtures.ts';
import { findDialog, inMain, renderScreen } from '../../../test/render-screen.tsx';
import { rolloutOf, rolloutSite, SHOP_5_3 } from '../../../test/rollout-fixtures.ts';

const site = (id: number, ring: number, state: RolloutSiteState, more = {}) => {
  const isCalled = !['waiting', 'cancelled'].includes(state);
  return rolloutSite({
    site_id: id,
    name: `site-${id}.example.com`,
    ring,
    state,
    run_id: isCalled ? 40 + ring : null,
    task_id: isCalled ? 100 + id : null,
    ...more,
  });
};

const HALT_REASON =
  'The update caused trouble on 1 site in the ring "Canary". First error: The home page shows an error.';
const haltedSites = [
  site(1, 0, 'updated'),
  site(2, 0, 'troubled', { error: 'The home page shows an error.', is_rolled_back: true }),
  site(3, 1, 'waiting'),
  site(4, 2, 'waiting'),
];
const halted = rolloutOf(haltedSites, { status: 'halted', halt_reason: HALT_REASON });

const open = (
  rollout: ReturnType<typeof rolloutOf>,
  { role = 'owner' as const, responses = {} as PanelResponses } = {},
) =>
  renderScreen('/rollouts/7', {
    role,
    responses: { 'GET /panel/rollouts/:id': rollout, ...responses },
  });
const ring = async (name: string) => within(await screen.findByRole('region', { name }));

describe('the page of a rollout', () => {
  it('shows each ring with its sites as dots', async () => {
    const { user } = open(
      rolloutOf(
        [
          site(1, 0, 'updated'),
          site(5, 0, 'unchecked', { error: '2 of 17 pages could be checked.' }),
          site(2, 1, 'updating'),
          site(3, 1, 'failed', { error: 'The site did not respond.' }),
          site(4, 2, 'waiting'),
        ],
        { ring: 1 },
      ),
    );
    const first = await ring('Canary');
    first.getByText('1 updated, 1 not checked');
    await user.click(first.getByRole('button', { name: 'site-5.example.com: Not checked' }));
    first.getByText('2 of 17 pages could be checked.');
    screen.getByText('The ring “10 %” is updating. After its last site, the soak time starts.');
    const second = await ring('10 %');
    second.getByText('Updating');
    second.getByText('1 not fully updated, 1 updating');
    second.getByText('The site did not respond.');
    expect(second.getByRole('link', { name: 'View run of site-3.example.com' })).toHaveProperty(
      'pathname',
      '/runs/41',
    );
    first.getByText('Finished');
    await user.click(first.getByRole('button', { name: 'site-1.example.com: Updated' }));
    expect(first.getByRole('link', { name: 'View site site-1.example.com' })).toHaveProperty(
      'pathname',
      '/sites/1',
    );
    expect(document.title).toContain('Updating: Shop 5.3');
    await expectAccessible('a running rollout');
  });

  it('moves between dots with the arrow keys, with one dot in the tab order', async () => {
    const { user } = open(rolloutOf([site(1, 2, 'waiting'), site(2, 2, 'waiting')]));
    const dots = (await ring('All other sites')).getAllByRole('button', { name: /Waiting/ });
    expect(dots.map(({ tabIndex }) => tabIndex)).toEqual([0, -1]);
    dots[0]?.focus();
    await user.keyboard('{ArrowRight}');
    expect(document.activeElement).toBe(dots[1]);
    (await ring('Canary')).getByText('Skipped: no sites');
  });

  it('groups the waiting and updated sites of a large ring', async () => {
    open(
      rolloutOf([
        ...Array.from({ length: 600 }, (_, index) => site(index + 1, 2, 'updated')),
        ...Array.from({ length: 400 }, (_, index) => site(index + 1001, 2, 'waiting')),
        site(2000, 2, 'troubled', { error: 'Fatal error.' }),
      ]),
    );
    const last = await ring('All other sites');
    last.getByText('600 updated');
    last.getByText('400 waiting');
    expect(last.getAllByRole('button')).toHaveLength(1);
  });

  it('starts the next ring before the soak time ends', async () => {
    const soaking = rolloutOf([site(1, 0, 'updated'), site(2, 2, 'waiting')], {
      status: 'soaking',
    });
    const [first] = soaking.rollout.rings;
    if (first) first.soak_ends_at = inDays(0.5);
    const { click, panel } = open(soaking, {
      responses: { 'POST /panel/rollouts/:id/end-soak': soaking },
    });
    await screen.findByText(/^Unless the rollout halts, the next ring starts/);
    screen.getByText(/^in 1[12] h \d\d min$/);
    const steps = within(screen.getByRole('list', { name: 'Rings' }));
    const isRing = (item: HTMLElement) => within(item).queryByRole('region') !== null;
    const rings = steps.getAllByRole('listitem').filter(isRing);
    expect(rings.map((item) => item.getAttribute('aria-current'))).toEqual(['step', null, null]);
    await click('Start next ring now');
    const dialog = await findDialog('End the soak time?');
    within(dialog).getByText(
      /^The ring “All other sites” \(1 site\) starts now, without the rest of the soak time\./,
    );
    within(dialog).getByRole('button', { name: 'Start next ring now' }).click();
    await waitFor(() =>
      expect(panel.requests('POST /panel/rollouts/:id/end-soak')).toHaveLength(1),
    );
    await expectAccessible('a soaking rollout');
  });

  it('has no actions after it has finished, and shows what was not fully updated', async () => {
    open(
      rolloutOf([site(1, 0, 'updated'), site(2, 2, 'failed')], {
        status: 'finished',
        ring: 3,
        finished_at: MOMENT,
      }),
    );
    await screen.findByText('1 of 2 sites updated');
    expect(inMain().queryByRole('button', { name: 'End rollout' })).toBeNull();
    expect(inMain().queryByRole('alert')).toBeNull();
  });

  it('explains that the rollout is missing or belongs to another user', async () => {
    renderScreen('/rollouts/7', {
      responses: { 'GET /panel/rollouts/:id': errorResponse('rollout_not_found') },
    });
    await screen.findByText(/visible to the user who started it/);
  });
});

describe('a halted rollout', () => {
  it('states the cause, what was rolled back, and the three next steps', async () => {
    open(halted);
    const banner = within(await screen.findByRole('alert'));
    banner.getByText('Rollout halted');
    banner.getByText(HALT_REASON);
    banner.getByText(
      /The previous version is back on the troubled site\. 1 site was updated without trouble\. 2 sites still wait with the old version\./,
    );
    const steps = within(banner.getByRole('list', { name: 'Next steps' })).getAllByRole('listitem');
    expect(steps.map(({ textContent }) => textContent)).toEqual([
      'Restore the previous version of Shop on 1 siteSites with the new version get the previous version back.',
      'Resume rollout2 remaining sites get the new version. Choose this when the cause is fixed.',
      'End rolloutNo other site is updated.',
    ]);
    await expectAccessible('a halted rollout');
  });

  it('omits sites that were not called if there are none', async () => {
    const { user } = open(
      rolloutOf(haltedSites.slice(0, 2), { status: 'halted', halt_reason: HALT_REASON }),
    );
    const banner = within(await screen.findByRole('alert'));
    banner.getByText(/1 site was updated without trouble\. No version/);
    await user.click(banner.getByRole('button', { name: 'End rollout' }));
    const dialog = within(await findDialog('End this rollout?'));
    expect(dialog.queryByText(/will not be updated/)).toBeNull();
  });

  it('restores the previous version on the updated sites only', async () => {
    const { click, panel } = open(halted, {
      responses: {
        'POST /panel/sites/restore-preview': {
          success: true,
          preview: {
            versions: [{ version: '5.2', current_versions: ['5.3'], site_ids: [1] }],
            site_ids: [1],
            sites: [{ id: 1, name: 'site-1.example.com' }],
            skipped: { count: 0, sites: [] },
            not_found: 0,
          },
        },
      },
    });
    await screen.findByRole('alert');
    await click('Restore the previous version of Shop on 1 site');
    await findDialog(/Shop/);
    expect(panel.requests('POST /panel/sites/restore-preview')[0]?.body).toMatchObject({
      site_ids: [1],
      slug: SHOP_5_3.slug,
    });
  });

  it('states how many troubled sites may run the new version', async () => {
    const sites = [...haltedSites, site(5, 0, 'troubled'), site(6, 0, 'troubled')];
    open(rolloutOf(sites, { status: 'halted', halt_reason: HALT_REASON }));
    const banner = within(await screen.findByRole('alert'));
    banner.getByText(
      /back on 1 of 3 troubled sites\. 2 troubled sites may run the new version\. 1 site was updated without trouble\./,
    );
    banner.getByRole('button', { name: 'Restore the previous version of Shop on 3 sites' });
  });

  it('does not state what was rolled back if a troubled site is hidden', async () => {
    const { rollout } = halted;
    const visible = haltedSites.filter(({ state }) => state !== 'troubled');
    open({ success: true, rollout, sites: visible });
    const banner = within(await screen.findByRole('alert'));
    banner.getByText(
      /^1 site was updated without trouble\. 2 sites still wait with the old version\./,
    );
  });

  it('restores an item also on sites that did not update another item', async () => {
    const blog = { type: 'plugin' as const, slug: 'blog/blog.php', version: '2.0', name: 'Blog' };
    const sites = [
      site(1, 0, 'failed', { updated_slugs: [SHOP_5_3.slug] }),
      site(2, 0, 'troubled', { is_rolled_back: true, updated_slugs: [SHOP_5_3.slug] }),
      site(3, 0, 'failed'),
    ];
    const { click, panel } = open(
      rolloutOf(sites, { status: 'halted', halt_reason: HALT_REASON, items: [SHOP_5_3, blog] }),
      {
        responses: {
          'POST /panel/sites/restore-preview': {
            success: true,
            preview: {
              versions: [{ version: '5.2', current_versions: ['5.3'], site_ids: [1, 2] }],
              site_ids: [1, 2],
              sites: [1, 2].map((id) => ({ id, name: `site-${id}.example.com` })),
              skipped: { count: 0, sites: [] },
              not_found: 0,
            },
          },
        },
      },
    );
    const banner = within(await screen.findByRole('alert'));
    expect(
      banner.queryByRole('button', { name: /Restore the previous version of Blog/ }),
    ).toBeNull();
    await click('Restore the previous version of Shop…');
    await findDialog(/Shop/);
    expect(panel.requests('POST /panel/sites/restore-preview')[0]?.body).toMatchObject({
      site_ids: [1, 2],
      slug: SHOP_5_3.slug,
    });
  });

  it('has nothing to restore if no site runs the new version', async () => {
    const sites = [haltedSites[1] as (typeof haltedSites)[number], site(3, 0, 'failed')];
    open(rolloutOf(sites, { status: 'halted', halt_reason: HALT_REASON }));
    const banner = within(await screen.findByRole('alert'));
    banner.getByText('No site runs the new version, so there is nothing to restore.');
  });

  it('has nothing to restore on the sites that the user can see', async () => {
    const visible = haltedSites.filter(({ state }) => state === 'waiting');
    open({ success: true, rollout: halted.rollout, sites: visible });
    const banner = within(await screen.findByRole('alert'));
    banner.getByText(
      'None of the sites that you can see runs the new version. Ask an owner to check the hidden sites.',
    );
  });

  it('resumes', async () => {
    const resumed = rolloutOf(haltedSites, { status: 'running' });
    const { click, panel } = open(halted, {
      responses: { 'POST /panel/rollouts/:id/resume': resumed },
    });
    await screen.findByRole('alert');
    await click('Resume rollout');
    const dialog = within(await findDialog('Resume this rollout?'));
    dialog.getByText(/2 waiting sites will be updated/);
    panel.setResponses({ 'GET /panel/rollouts/:id': resumed });
    dialog.getByRole('button', { name: 'Resume rollout' }).click();
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it('lifts the quarantine with a reason before it resumes', async () => {
    const held = rolloutOf(haltedSites, {
      status: 'halted',
      halt_reason: HALT_REASON,
      held_versions: [SHOP_5_3],
    });
    const quarantined = {
      ...{ id: 3, item_type: 'plugin' as const, slug: SHOP_5_3.slug, name: 'Shop', version: '5.3' },
      ...{ reason: HALT_REASON, created_by: null, created_at: MOMENT },
      ...{ lifted_at: null, lifted_by: null, lift_reason: null },
    };
    const other = { ...quarantined, id: 4, version: '4.0' };
    const { user, click, fill, panel } = open(held, {
      responses: {
        'GET /panel/quarantine': { success: true, quarantined_versions: [quarantined, other] },
        'POST /panel/quarantine/:id/lift': { success: true, quarantined_version: quarantined },
        'POST /panel/rollouts/:id/resume': rolloutOf(haltedSites),
      },
    });
    await screen.findByRole('alert');
    await click('Lift the quarantine and resume');
    const dialog = within(await findDialog('Resume this rollout?'));
    const confirm = dialog.getByRole<HTMLButtonElement>('button', {
      name: 'Lift quarantine and resume',
    });
    expect(blockedReason(confirm)).not.toBeNull();
    await fill(dialog.getByLabelText(/^Reason/), 'The vendor fixed the server.');
    await expectAccessible('the reason for a lifted quarantine');
    await user.click(confirm);
    await waitFor(() => expect(panel.requests('POST /panel/rollouts/:id/resume')).toHaveLength(1));
    const lifted = panel.requests('POST /panel/quarantine/:id/lift');
    expect(lifted.map(({ path, body }) => [path, body])).toEqual([
      ['/panel/quarantine/3/lift', { reason: 'The vendor fixed the server.' }],
    ]);
  });

  it('keeps the quarantine if another user has ended the rollout meanwhile', async () => {
    const held = { halt_reason: HALT_REASON, held_versions: [SHOP_5_3] };
    const { user, click, fill, panel } = open(
      rolloutOf(haltedSites, { status: 'halted', ...held }),
      { responses: { 'POST /panel/rollouts/:id/resume': errorResponse('rollout_not_halted') } },
    );
    await screen.findByRole('alert');
    await click('Lift the quarantine and resume');
    const dialog = within(await findDialog('Resume this rollout?'));
    await fill(dialog.getByLabelText(/^Reason/), 'The vendor fixed the server.');
    panel.setResponses({
      'GET /panel/rollouts/:id': rolloutOf(haltedSites, { status: 'cancelled', ...held }),
    });
    await user.click(dialog.getByRole('button', { name: 'Lift quarantine and resume' }));
    await dialog.findByRole('alert');
    expect(panel.requests('POST /panel/rollouts/:id/resume')).toHaveLength(1);
    expect(panel.requests('POST /panel/quarantine/:id/lift')).toEqual([]);
  });

  it('of core only offers no restore', async () => {
    const items = [{ type: 'core' as const, slug: 'core', version: '6.5', name: 'WordPress' }];
    const { rollout, sites } = halted;
    open({ success: true, rollout: { ...rollout, items }, sites });
    const banner = within(await screen.findByRole('alert'));
    const [restore] = within(banner.getByRole('list', { name: 'Next steps' })).getAllByRole(
      'listitem',
    );
    expect(restore?.textContent).toBe(
      'A core update cannot be rolled back. To undo it, restore a backup of each site.',
    );
  });

  it('tells a viewer to ask an owner, without steps', async () => {
    renderScreen('/rollouts/7', {
      role: 'viewer',
      responses: { 'GET /panel/rollouts/:id': halted },
    });
    const banner = within(await screen.findByRole('alert'));
    banner.getByText(/^Ask an owner to choose what happens next/);
    expect(banner.queryByRole('list')).toBeNull();
  });

  it('ends', async () => {
    const ended = rolloutOf(haltedSites, { status: 'cancelled', finished_at: MOMENT });
    const { user, panel } = open(halted, {
      responses: { 'POST /panel/rollouts/:id/cancel': ended },
    });
    const banner = within(await screen.findByRole('alert'));
    await user.click(banner.getByRole('button', { name: 'End rollout' }));
    const dialog = within(await findDialog('End this rollout?'));
    dialog.getByText('1 updated site keeps the new version.');
    panel.setResponses({ 'GET /panel/rollouts/:id': ended });
    await user.click(dialog.getByRole('button', { name: 'End rollout' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it('tells a manager to ask an owner while a version is quarantined', async () => {
    const held = rolloutOf(haltedSites, {
      status: 'halted',
      halt_reason: HALT_REASON,
      held_versions: [SHOP_5_3],
    });
    renderScreen('/rollouts/7', {
      role: 'manager',
      responses: { 'GET /panel/rollouts/:id': held },
    });
    const banner = within(await screen.findByRole('alert'));
    banner.getByText(/Quarantined: Shop 5\.3\./);
    banner.getByText(/Ask an owner to lift the quarantine/);
    expect(banner.queryByRole('button', { name: 'Resume rollout' })).toBeNull();
  });
});

describe('a rollout that waits for proof', () => {
  const reason = 'No site of the ring Canary installed Shop 5.3.';
  const waitingSites = [
    site(1, 0, 'failed', { error: 'The site did not respond.' }),
    site(3, 1, 'waiting'),
    site(4, 2, 'waiting'),
  ];
  const waits = { status: 'halted', halt_reason: reason, halt_code: 'waits_for_proof' } as const;
  const waiting = rolloutOf(waitingSites, waits);
  const continued = rolloutOf(waitingSites);

  it('explains the next steps, and lets the user choose other canaries', async () => {
    const { user, click, panel } = open(waiting, {
      responses: { 'POST /panel/rollouts/:id/canaries': continued },
    });
    const banner = within(await screen.findByRole('alert'));
    banner.getByText('Rollout waits for proof');
    banner.getByText(reason);
    const steps = within(banner.getByRole('list', { name: 'Next steps' }));
    expect(steps.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Choose other canaries',
      'Continue without proof',
      'End rollout',
      'Check this ring again',
    ]);
    await expectAccessible('a rollout that waits for proof');
    await click('Choose other canaries');
    const dialog = within(await findDialog('Choose other canaries'));
    const confirm = dialog.getByRole<HTMLButtonElement>('button', { name: 'Update 0 sites first' });
    expect(blockedReason(confirm)).toBe('Choose at least one site.');
    await user.click(dialog.getByRole('combobox', { name: /^Sites/ }));
    // The sites of this ring have had their chance.
    expect(screen.queryByRole('option', { name: 'site-1.example.com' })).toBeNull();
    await user.click(await screen.findByRole('option', { name: 'site-4.example.com' }));
    await expectAccessible('the choice of canaries');
    await user.click(dialog.getByRole('button', { name: 'Update 1 site first' }));
    await waitFor(() =>
      expect(panel.requests('POST /panel/rollouts/:id/canaries')[0]?.body).toEqual({
        site_ids: [4],
      }),
    );
  });

  it('asks for a reason to continue without proof', async () => {
    const { user, click, fill, panel } = open(waiting, {
      responses: { 'POST /panel/rollouts/:id/continue-without-proof': continued },
    });
    await screen.findByRole('alert');
    await click('Continue without proof');
    const dialog = within(await findDialog('Continue without proof?'));
    dialog.getByText(/^The ring “10 %” \(1 site\) gets Shop 5\.3/);
    const confirm = dialog.getByRole<HTMLButtonElement>('button', {
      name: 'Continue without proof',
    });
    expect(blockedReason(confirm)).toBe('Enter a reason.');
    await fill(dialog.getByLabelText(/^Reason/), 'The canary is old.');
    await expectAccessible('the reason to continue without proof');
    await user.click(confirm);
    await waitFor(() =>
      expect(panel.requests('POST /panel/rollouts/:id/continue-without-proof')[0]?.body).toEqual({
        reason: 'The canary is old.',
      }),
    );
  });

  it('can be judged again, and ended', async () => {
    const { click, user, panel } = open(waiting, {
      responses: { 'POST /panel/rollouts/:id/resume': continued },
    });
    const banner = within(await screen.findByRole('alert'));
    banner.getByRole('button', { name: 'End rollout' });
    await click('Check this ring again');
    const dialog = within(await findDialog('Check this ring again?'));
    await user.click(dialog.getByRole('button', { name: 'Check this ring again' }));
    await waitFor(() => expect(panel.requests('POST /panel/rollouts/:id/resume')).toHaveLength(1));
  });

  it('tells a viewer whom to ask', async () => {
    renderScreen('/rollouts/7', {
      role: 'viewer',
      responses: { 'GET /panel/rollouts/:id': waiting },
    });
    const banner = within(await screen.findByRole('alert'));
    banner.getByText(/^Ask an owner to choose what happens next: other canaries/);
    expect(banner.queryByRole('list')).toBeNull();
  });

  it('names a quarantined version first', async () => {
    open(rolloutOf(waitingSites, { ...waits, held_versions: [SHOP_5_3] }));
    const banner = within(await screen.findByRole('alert'));
    banner.getByRole('button', { name: 'Lift the quarantine and resume' });
    expect(banner.queryByRole('button', { name: 'Choose other canaries' })).toBeNull();
  });

  it('links its other items, and says who continued without proof', async () => {
    const by = 'Olive';
    open(
      rolloutOf(waitingSites, {
        split_from: 4,
        split_into: [9],
        proof_exceptions: [{ ring: 0, items: [SHOP_5_3], reason: 'Old PHP.', by, at: MOMENT }],
      }),
    );
    await screen.findByText(
      /Olive continued with Shop 5\.3 without proof of the ring “Canary”, .*: Old PHP\./,
    );
    const links = ['rollout 4', 'rollout 9'].map((name) => screen.getByRole('link', { name }));
    expect(links.map((link) => (link as HTMLAnchorElement).pathname)).toEqual([
      '/rollouts/4',
      '/rollouts/9',
    ]);
  });
});

describe('the list of rollouts', () => {
  it('shows the state and the progress of each ring', async () => {
    const { rollout } = halted;
    renderScreen('/rollouts', {
      responses: { 'GET /panel/rollouts': { success: true, rollouts: [rollout] } },
    });
    const list = within(await screen.findByRole('list', { name: 'Rollouts' }));
    list.getByText('Halted');
    list.getByRole('img', { name: 'Canary: 1 updated, 1 troubled' });
    list.getByText('1 updated, 1 troubled, 2 waiting');
    expect(list.getByRole('link')).toHaveProperty('pathname', '/rollouts/7');
    await expectAccessible('the list of rollouts');
  });

  it('links to sites with pending updates while it is empty', async () => {
    renderScreen('/rollouts', {
      responses: { 'GET /panel/rollouts': { success: true, rollouts: [] } },
    });
    await screen.findByText('No rollouts yet');
    expect(screen.getByRole('link', { name: 'Show sites with pending updates' })).toHaveProperty(
      'search',
      '?pending=updatable',
    );
  });
});
