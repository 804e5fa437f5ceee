import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { clientItem, clients } from '../../../test/client-fixtures.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { siteItem, sites } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { schedule, schedules } from '../../../test/schedule-fixtures.ts';
import { softwareItem, softwarePage } from '../../../test/software-fixtures.ts';

const MATCHES = {
  success: true as const,
  site_ids: [1, 2],
  is_complete: true,
  pending: { plugins: 0, themes: 0, core: 0 },
};
const TAGS = { success: true as const, tags: [{ name: 'shop', sites: 2 }] };
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe('SchedulesPage', () => {
  it('lists schedules with their times, their last start and the reason why one did not start', async () => {
    const failed = schedule({
      schedule_id: 4,
      name: 'Nightly shops',
      selection: { tag: 'shop' },
      weekdays: [1, 2, 3, 4, 5, 6, 7],
      in_site_zone: false,
      last_day: '2026-06-02',
      last_error_code: 'no_matching_site',
    });
    const upcoming = [
      { schedule_id: 4, name: 'Nightly shops', opens_at: inHours(30), closes_at: inHours(33) },
    ];
    renderScreen('/schedules', {
      responses: {
        'GET /panel/schedules': schedules(
          [schedule({ last_day: '2026-06-02', last_run_id: 12 }), failed],
          upcoming,
        ),
      },
    });
    const table = within(await screen.findByRole('table', { name: 'Schedules' }));
    table.getByText('Updates plugins and themes on all sites');
    table.getByText('Updates plugins and themes on sites with the tag shop');
    expect(table.getAllByText('Tuesdays 02:00–05:00 in the time zone of each site')).toHaveLength(
      2,
    );
    expect(table.getAllByText('Every day 02:00–05:00 in Europe/Berlin')).toHaveLength(2);
    expect(table.getByRole('link', { name: 'Last run: 12' }).getAttribute('href')).toBe('/runs/12');
    within(table.getByRole('note')).getByText(
      /Did not start on Tuesday, June 2: No site matches the selection\. Edit the schedule/,
    );
    const calendar = screen.getByRole('list', { name: 'Windows of the next 14 days' });
    expect(within(calendar).getAllByRole('listitem')).toHaveLength(14);
    within(calendar).getByText('Nightly shops');
    within(calendar).getByTitle('Every day 02:00–05:00 in Europe/Berlin');
    await expectAccessible('schedules');
  });

  it.each([
    [true, /for example because no worker was running\. Steward tries again in the next window\.$/],
    [
      false,
      /for example because no worker was running\. Enable the schedule to try again\. If its day/,
    ],
  ])('states the next step after a missed window: enabled %s', async (enabled, sentence) => {
    const missed = schedule({ enabled, last_day: '2026-06-02', last_error_code: 'missed_window' });
    renderScreen('/schedules', { responses: { 'GET /panel/schedules': schedules([missed]) } });
    within(await screen.findByRole('note')).getByText(sentence);
  });

  it('says which chosen items no site has, and which sites were left out', async () => {
    const item = (name: string, is_missing: boolean) => ({
      ...{ type: 'plugin' as const, slug: `${name}/${name}.php`, name, is_missing },
    });
    const chosen = schedule({
      types: [],
      items: [item('Shop', false), item('Forms', true), item('Cache', true), item('Blog', false)],
      sites_left_out: 2,
    });
    renderScreen('/schedules', { responses: { 'GET /panel/schedules': schedules([chosen]) } });
    await screen.findByText('Updates Shop, Forms, Cache, and 1 more on all sites');
    expect(screen.getAllByRole('note').map(({ textContent }) => textContent)).toEqual([
      'No site has Forms and Cache any more. Edit the schedule and remove them.',
      'The last start left out 2 sites: the Steward plugin there is too old to update single items. Update the Steward plugin on these sites.',
    ]);
  });

  it('shows a window in the time zone of its schedule, not of the reader', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-01T08:00Z') });
    try {
      // 02:00 on Tuesday in Auckland is Monday in Europe and America.
      const opens_at = '2026-06-01T14:00:00.000Z';
      const auckland = { time_zone: 'Pacific/Auckland', next_opens_at: opens_at };
      const window = { schedule_id: 3, name: 'Weekly updates', opens_at };
      renderScreen('/schedules', {
        responses: {
          'GET /panel/schedules': schedules(
            [
              schedule(auckland),
              schedule({ ...auckland, schedule_id: 4, name: 'Fixed', in_site_zone: false }),
            ],
            [{ ...window, closes_at: '2026-06-01T17:00:00.000Z' }],
          ),
        },
      });
      const table = within(await screen.findByRole('table', { name: 'Schedules' }));
      expect(table.getAllByText('Tuesday, Jun 2, 02:00, local time of each site')).toHaveLength(1);
      expect(table.getAllByText('Tuesday, Jun 2, 02:00, in Pacific/Auckland')).toHaveLength(1);
      const calendar = screen.getByRole('list', { name: 'Windows of the next 14 days' });
      const tuesday = within(calendar)
        .getAllByRole('listitem')
        .find((item) => item.textContent?.startsWith('Tue, Jun 2'));
      expect(tuesday?.textContent).toBe('Tue, Jun 2Weekly updates02:00–05:00 site time');
    } finally {
      vi.useRealTimers();
    }
  });

  it('starts the calendar with today, also on a page that was opened yesterday', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 5, 1, 12) });
    try {
      const { click } = renderScreen('/schedules', {
        responses: {
          'GET /panel/schedules': schedules([schedule()]),
          'GET /panel/sites/ids': MATCHES,
        },
      });
      const calendar = await screen.findByRole('list', { name: 'Windows of the next 14 days' });
      within(calendar).getByText('Tue, Jun 2');
      vi.setSystemTime(new Date(2026, 5, 2, 12));
      await click('Create schedule');
      await findDialog('Create schedule');
      within(calendar).getByText('Today');
      expect(within(calendar).queryByText('Tue, Jun 2')).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it('explains an empty list, and shows an error in place', async () => {
    const { panel, click } = renderScreen('/schedules', {
      // Not a server error, which the screens retry for seconds.
      responses: { 'GET /panel/schedules': errorResponse('forbidden') },
    });
    await screen.findByRole('alert');
    panel.setResponses({
      'GET /panel/schedules': schedules([]),
      'GET /panel/sites/ids': MATCHES,
    });
    await click('Retry');
    await screen.findByRole('heading', { name: 'No schedules yet' });
    await click('Create schedule');
    await findDialog('Create schedule');
  });

  it('asks before it disables or deletes a schedule, and enables it at once', async () => {
    const { user, panel, click } = renderScreen('/schedules', {
      responses: {
        'GET /panel/schedules': schedules([schedule()]),
        'PUT /panel/schedules/:id': { success: true, schedule: schedule() },
        'DELETE /panel/schedules/:id': { success: true },
      },
    });
    await user.click(await screen.findByRole('switch', { name: 'Enable Weekly updates' }));
    let dialog = within(await findDialog('Disable Weekly updates?'));
    dialog.getByText(
      /Sites that still wait for their update .* are not updated\..* a halted one stays\./,
    );
    panel.setResponses({ 'GET /panel/schedules': schedules([schedule({ enabled: false })]) });
    await user.click(dialog.getByRole('button', { name: 'Disable schedule' }));
    await expectDialogClosed();
    await user.click(await screen.findByRole('switch', { name: 'Enable Weekly updates' }));
    await screen.findByText('Weekly updates is enabled.');
    const enabled = panel
      .requests('PUT /panel/schedules/:id')
      .map(({ body }) => (body as { enabled: boolean }).enabled);
    expect(enabled).toEqual([false, true]);

    await click('Actions for Weekly updates');
    await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
    dialog = within(await findDialog('Delete Weekly updates?'));
    dialog.getByText(/Rollouts of this schedule end, also halted ones\./);
    panel.setResponses({ 'GET /panel/schedules': schedules([]) });
    await user.click(dialog.getByRole('button', { name: 'Delete schedule' }));
    await screen.findByRole('heading', { name: 'No schedules yet' });
    expect(panel.requests('DELETE /panel/schedules/:id')).toHaveLength(1);
  });
});

describe('ScheduleDialog', () => {
  it('creates a schedule, shows what will happen, and keeps the form if the panel refuses', async () => {
    const { user, panel, click, fill } = renderScreen('/schedules', {
      responses: {
        'GET /panel/schedules': schedules([]),
        'GET /panel/sites/ids': MATCHES,
        'GET /panel/tags': TAGS,
        'POST /panel/schedules': errorResponse('invalid_request', { error: 'Too many schedules.' }),
      },
    });
    await screen.findByRole('heading', { name: 'No schedules yet' });
    await click('Create schedule');
    const dialog = within(await findDialog('Create schedule'));
    await dialog.findByText(
      '2 sites match now. Each start takes the sites that match at that time.',
    );
    const submit = dialog.getByRole('button', { name: 'Create schedule' });
    expect(blockedReason(submit)).not.toBeNull();
    await fill(dialog.getByLabelText(/^Name/), 'Friday shops');
    await user.click(dialog.getByRole('radio', { name: 'Sites with a tag' }));
    await user.click(dialog.getByRole('combobox', { name: /^Tag/ }));
    await user.click(await screen.findByRole('option', { name: 'shop' }));
    expect(dialog.getByRole('checkbox', { name: 'Core' })).toHaveProperty('checked', false);
    await user.click(dialog.getByRole('checkbox', { name: 'Core' }));
    dialog.getByText(/cannot be rolled back/);
    await user.click(dialog.getByRole('checkbox', { name: 'Tuesday' }));
    dialog.getByText('Choose at least one day.');
    await user.click(dialog.getByRole('checkbox', { name: 'Friday' }));
    await user.click(
      dialog.getByRole('radio', { name: 'In rings, and halt if a version causes trouble' }),
    );
    await fill(
      dialog.getByLabelText('Share of sites in each ring on which an update must succeed'),
      '30',
    );
    within(dialog.getByRole('status')).getByText(
      /^Updates plugins, themes, and core on sites with the tag shop\. Fridays 02:00–05:00 in the time zone of each site\. Next: Friday, .* at 02:00, local time of each site\.$/,
    );
    await expectAccessible('create schedule');
    await user.click(submit);
    await dialog.findByText('Too many schedules.');
    panel.setResponses({
      'POST /panel/schedules': { success: true, schedule: schedule() },
      'GET /panel/schedules': schedules([schedule()]),
    });
    await user.click(submit);
    await expectDialogClosed();
    expect(panel.requests('POST /panel/schedules')[1]?.body).toEqual({
      name: 'Friday shops',
      selection: { tag: 'shop' },
      types: ['plugin', 'theme', 'core'],
      items: [],
      weekdays: [5],
      once_on: null,
      opens_at: '02:00',
      closes_at: '05:00',
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      in_site_zone: true,
      in_rings: true,
      proof_percent: 30,
      enabled: true,
    });
  });

  it('creates a schedule for chosen items', async () => {
    const { user, panel, click, fill } = renderScreen('/schedules', {
      responses: {
        'GET /panel/schedules': schedules([]),
        'GET /panel/sites/ids': MATCHES,
        'GET /panel/software': softwarePage([softwareItem({ name: 'Shop Kit' })]),
        'POST /panel/schedules': { success: true, schedule: schedule() },
      },
    });
    await screen.findByRole('heading', { name: 'No schedules yet' });
    await click('Create schedule');
    const dialog = within(await findDialog('Create schedule'));
    await fill(dialog.getByLabelText(/^Name/), 'Shops');
    await user.click(dialog.getByRole('radio', { name: 'Only chosen plugins, themes and core' }));
    expect(dialog.queryByRole('checkbox', { name: 'Core' })).toBeNull();
    const submit = dialog.getByRole('button', { name: 'Create schedule' });
    expect(blockedReason(submit)).not.toBeNull();
    await user.click(dialog.getByLabelText('Plugins, themes and core'));
    await user.click(await screen.findByRole('option', { name: /^Shop Kit/ }));
    within(dialog.getByRole('status')).getByText(/^Updates Shop Kit on all sites\. Tuesdays/);
    await user.click(submit);
    await expectDialogClosed();
    const { type, slug } = softwareItem();
    expect(panel.requests('POST /panel/schedules')[0]?.body).toMatchObject({
      types: [],
      items: [{ type, slug }],
    });
  });

  it('shows the plan of a schedule, and who it runs as after a change', async () => {
    const once = schedule({ weekdays: [], once_on: '2026-06-02', created_by: 'Mona' });
    const { user, click } = renderScreen('/schedules', {
      responses: { 'GET /panel/schedules': schedules([once]), 'GET /panel/sites/ids': MATCHES },
    });
    await user.click(await screen.findByRole('button', { name: 'Weekly updates' }));
    const dialog = within(await findDialog('Edit Weekly updates'));
    expect(dialog.getByLabelText(/^Day( \*)?$/)).toHaveProperty('value', '2026-06-02');
    dialog.getByText(/This window is in the past/);
    dialog.getByText(/updates only sites that Mona may see\. If you choose other sites/);
    await user.click(dialog.getByRole('radio', { name: 'Tonight' }));
    within(dialog.getByRole('status')).getByText(/Once, on .* Next: /);
    await click('Cancel');
    await expectDialogClosed();
  });

  it('selects the sites of a client, also for sites that join later', async () => {
    const ofAcme = schedule({ selection: { client_id: '7' } });
    const { user, panel, click, fill } = renderScreen('/schedules', {
      responses: {
        'GET /panel/schedules': schedules([ofAcme]),
        'GET /panel/sites/ids': MATCHES,
        'GET /panel/clients': clients(clientItem(), clientItem({ id: 9, name: 'Bolt' })),
        'POST /panel/schedules': { success: true, schedule: schedule() },
      },
    });
    await screen.findByText('Updates plugins and themes on sites of client Acme');
    await click('Create schedule');
    const dialog = within(await findDialog('Create schedule'));
    await fill(dialog.getByLabelText(/^Name/), 'Bolt');
    await user.click(dialog.getByRole('radio', { name: 'Sites of a client' }));
    const submit = dialog.getByRole('button', { name: 'Create schedule' });
    expect(blockedReason(submit)).not.toBeNull();
    await user.click(dialog.getByRole('combobox', { name: 'Client' }));
    await user.click(await screen.findByRole('option', { name: 'Bolt' }));
    within(dialog.getByRole('status')).getByText(/on sites of client Bolt\./);
    await expectAccessible('a schedule for a client');
    await user.click(submit);
    await expectDialogClosed();
    expect(panel.requests('POST /panel/schedules')[0]?.body).toMatchObject({
      selection: { client_id: '9' },
    });

    await user.click(screen.getByRole('button', { name: 'Weekly updates' }));
    const edit = within(await findDialog('Edit Weekly updates'));
    const select = edit.getByRole<HTMLInputElement>('combobox', { name: 'Client' });
    expect(select.value).toBe('Acme');
  });

  it.each([
    ['no tag matches the search', TAGS, 'No results'],
    ['there are no tags', { ...TAGS, tags: [] }, 'No site has a tag yet.'],
  ])('states that %s', async (_, tags, message) => {
    const { user, click } = renderScreen('/schedules', {
      responses: {
        'GET /panel/schedules': schedules([]),
        'GET /panel/sites/ids': MATCHES,
        'GET /panel/tags': tags,
      },
    });
    await screen.findByRole('heading', { name: 'No schedules yet' });
    await click('Create schedule');
    const dialog = within(await findDialog('Create schedule'));
    await user.click(dialog.getByRole('radio', { name: 'Sites with a tag' }));
    await user.type(dialog.getByRole('combobox', { name: /^Tag/ }), 'x');
    await screen.findByText(message);
  });

  it('takes the filters of the site list', async () => {
    const { click } = renderScreen('/sites?pending=plugins', {
      responses: {
        'GET /panel/sites': sites([siteItem()]),
        'GET /panel/tags': TAGS,
        'GET /panel/sites/ids': MATCHES,
      },
    });
    await screen.findByRole('button', { name: 'Schedule updates…' });
    await click('Schedule updates…');
    const dialog = within(await findDialog('Create schedule'));
    expect(dialog.getByRole('radio', { name: /filters of the site list/ })).toHaveProperty(
      'checked',
      true,
    );
    dialog.getByText('Sites that match: plugin updates');
  });
});
