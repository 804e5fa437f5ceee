import { screen, waitFor, waitForElementToBeRemoved, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { auditPage, auditRecord, plans, users } from '../../../test/panel-fixtures.ts';
import { inMain, renderScreen } from '../../../test/render-screen.tsx';
import { daysBefore, toDay } from '../../lib/days.ts';
import { formatTimestamp } from '../../lib/format.ts';

const findRecord = (name: string | RegExp) => screen.findByRole('button', { name });
const signedIn = auditRecord();
const SIGNED_IN = /Olive signed in/;

describe('a record', () => {
  it('shows the failed action and the reason', async () => {
    const { user, panel } = renderScreen('/audit?entity_type=remote_site', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/audit': auditPage(
          [
            auditRecord({
              entity_type: 'remote_site',
              action: 'sync',
              entity_id: '2',
              site_id: 2,
              context: { outcome: 'failed', error: 'The site could not be reached.' },
            }),
          ],
          {
            names: [
              { type: 'user', id: 1, name: 'Olive' },
              { type: 'site', id: 2, name: '127.0.0.1:8081/blog' },
            ],
          },
        ),
      },
    });
    // jsdom has no layout, so there is no space between the columns.
    await user.click(await findRecord(/Olive tried to sync .*\/blog\s*Failed/));
    expect(panel.requests('GET /panel/audit')[0]?.query).toEqual({ entity_type: 'remote_site' });
    const reason = screen.getByText('Reason');
    expect(reason.nextElementSibling?.textContent).toBe('The site could not be reached.');
    await user.click(screen.getByRole('button', { name: /tried to sync/ }));
    expect(screen.queryByText('Reason')).toBeNull();
  });
});

describe('a record about something with a page', () => {
  it('opens this page, and shows the stored record on request', async () => {
    const names = [
      { type: 'user' as const, id: 1, name: 'Olive' },
      { type: 'license' as const, id: 4, name: 'Care (…CKDZX9)' },
      { type: 'schedule' as const, id: 2, name: 'Nights' },
    ];
    const revoked = auditRecord({ entity_type: 'license', action: 'revoke', entity_id: '4' });
    const schedule = { entity_type: 'schedule', action: 'update', context: { name: 'Nights' } };
    const deleted = auditRecord({ ...schedule, id: 3, entity_id: '9', context: { name: 'Days' } });
    const records = [revoked, auditRecord({ ...schedule, id: 2, entity_id: '2' }), deleted];
    const { user } = renderScreen('/audit', {
      responses: { 'GET /panel/users': users(), 'GET /panel/audit': auditPage(records, { names }) },
    });
    const findLink = (name: RegExp) => screen.findByRole('link', { name });
    const license = await findLink(/Olive revoked license Care \(…CKDZX9\)/);
    expect(license.getAttribute('href')).toBe('/licenses/4');
    expect((await findLink(/changed the schedule Nights/)).getAttribute('href')).toBe('/schedules');
    // This schedule no longer exists: its line shows the stored record.
    expect(screen.queryByRole('link', { name: /schedule Days/ })).toBeNull();
    await user.click(await findRecord(/changed the schedule Days/));
    screen.getByText('schedule.update 9');
    await user.click(await findRecord(/^Details: Olive revoked license/));
    screen.getByText('license.revoke 4');
    await expectAccessible('records with links');
  });
});

describe('a log with detached records', () => {
  it('states from when on it is complete', async () => {
    const complete_from = '2026-05-01T00:00:00.000Z';
    renderScreen('/audit', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/audit': auditPage([signedIn], { complete_from }),
      },
    });
    await findRecord(SIGNED_IN);
    const { textContent } = screen.getByText(/The log is complete from/);
    expect(textContent).toContain(formatTimestamp(complete_from));
    expect(textContent).toContain('Older records were detached');
  });

  it('states nothing if no records were detached', async () => {
    renderScreen('/audit', {
      responses: { 'GET /panel/users': users(), 'GET /panel/audit': auditPage([signedIn]) },
    });
    await findRecord(SIGNED_IN);
    expect(screen.queryByText(/The log is complete/)).toBeNull();
  });
});

describe('the record of an update', () => {
  it('links each plugin to its page', async () => {
    const { user } = renderScreen('/audit', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/audit': auditPage([
          auditRecord({
            entity_type: 'remote_update',
            action: 'update',
            site_id: 2,
            context: {
              outcome: 'succeeded',
              items: [
                {
                  type: 'plugin',
                  slug: 'shop/shop.php',
                  name: 'Shop',
                  old_version: '1.0',
                  new_version: '2.0',
                  outcome: 'succeeded',
                },
              ],
            },
          }),
        ]),
      },
    });
    await user.click(await findRecord(/Olive updated .*: Shop 1.0 → 2.0/));
    const link = screen.getByRole('link', { name: 'Shop 1.0 → 2.0' });
    expect(link.getAttribute('href')).toBe('/software/item?type=plugin&slug=shop%2Fshop.php');
    await expectAccessible('the record of an update');
  });

  it('names each requested version of the same plugin', async () => {
    const shop = { type: 'plugin', slug: 'shop/shop.php', name: 'Shop' };
    const items = [
      { ...shop, version: '1.1' },
      { ...shop, version: '2.0' },
    ];
    const context = { kind: 'update', sites: 2, items, items_total: 2 };
    const { user } = renderScreen('/audit', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/audit': auditPage([
          auditRecord({ entity_type: 'run', action: 'create', entity_id: '4', context }),
        ]),
      },
    });
    await user.click(await findRecord(/Olive started run 4/));
    const links = screen.getAllByRole('link', { name: /^Shop/ });
    expect(links.map(({ textContent }) => textContent)).toEqual(['Shop 1.1', 'Shop 2.0']);
  });
});

describe('filters', () => {
  it('accept text and dates, and report when no record matches', async () => {
    const added = auditRecord({
      id: 2,
      actor: 'system',
      entity_type: 'user',
      action: 'create',
      context: { via: 'command_line', email: 'olive@example.com', role: 'owner' },
    });
    const { user, panel, fill, address } = renderScreen('/audit', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/audit': ({ query }) => {
          if (query.to !== undefined && query.to < '2026-01-01') return auditPage([]);
          return auditPage(query.text === undefined ? [added, signedIn] : [added]);
        },
      },
    });
    const lastQuery = () => panel.requests('GET /panel/audit').at(-1)?.query;
    await findRecord(SIGNED_IN);
    screen.getByRole('combobox', { name: 'Type' });
    await fill(screen.getByLabelText('Text'), 'olive@example');
    await waitForElementToBeRemoved(() => screen.queryByRole('button', { name: SIGNED_IN }));
    await findRecord(/The command line added olive@example\.com as owner/);
    expect(lastQuery()).toEqual({ text: 'olive@example' });

    await fill(screen.getByLabelText('From'), '2020-01-01');
    await fill(screen.getByLabelText('To'), '2020-01-31');
    await screen.findByRole('heading', { name: 'No record matches these filters' });
    expect(address()).toBe('/audit?text=olive%40example&from=2020-01-01&to=2020-01-31');
    expect(lastQuery()).toEqual({
      text: 'olive@example',
      from: new Date(2020, 0, 1).toISOString(),
      to: new Date(2020, 1, 1).toISOString(),
    });
    await expectAccessible('no matching records');
    await fill(screen.getByLabelText('To'), '2099-01-31');
    await findRecord(/added olive@example\.com/);
    await fill(screen.getByLabelText('To'), '2020-01-31');
    await inMain().findByText('Try other dates or fewer filters.');
    await user.click(
      screen.getAllByRole('button', { name: 'Clear filters' }).at(-1) as HTMLElement,
    );
    await findRecord(SIGNED_IN);
    expect(address()).toBe('/audit');
    expect(lastQuery()).toEqual({});
  });
});

describe('quick ranges', () => {
  it('set both dates, and clear them with a second click', async () => {
    const { user, click, address } = renderScreen('/audit?text=olive', {
      responses: { 'GET /panel/users': users(), 'GET /panel/audit': auditPage([signedIn]) },
    });
    await findRecord(SIGNED_IN);
    const today = toDay(new Date());
    const weekAgo = toDay(daysBefore(new Date(), 6));
    await click('Last 7 days');
    await waitFor(() => expect(address()).toBe(`/audit?text=olive&from=${weekAgo}&to=${today}`));
    const isPressed = (name: string) =>
      screen.getByRole('button', { name }).getAttribute('aria-pressed');
    expect(['Today', 'Last 7 days', 'Last 30 days'].map(isPressed)).toEqual([
      'false',
      'true',
      'false',
    ]);
    await expectAccessible('audit log with a quick range');

    screen.getByLabelText('From').focus();
    await user.keyboard('{Escape}');
    expect(address()).toBe(`/audit?text=olive&from=${weekAgo}&to=${today}`);

    await click('Today');
    await waitFor(() => expect(address()).toBe(`/audit?text=olive&from=${today}&to=${today}`));
    await click('Today');
    await waitFor(() => expect(address()).toBe('/audit?text=olive'));
  });
});

describe('the log in the page cache', () => {
  it('shows new records when the user returns to it', async () => {
    const added = auditRecord({ id: 2, entity_type: 'sign_in', action: 'fail' });
    const { panel, click } = renderScreen('/audit', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/audit': auditPage([signedIn]),
        'GET /api/v1/services': { success: true, services: [] },
        'GET /panel/plans': plans(),
      },
    });
    await findRecord(SIGNED_IN);
    await click(/^Services/, 'link');
    await screen.findByRole('heading', { name: 'Services' });
    panel.setResponses({ 'GET /panel/audit': auditPage([added, signedIn]) });
    await click(/^Audit log/, 'link');
    await waitFor(() =>
      expect(
        within(screen.getByRole('list', { name: 'Records' })).getAllByRole('listitem'),
      ).toHaveLength(2),
    );
  });
});

describe('older records', () => {
  it('are searched automatically for a few empty pages, then on request', async () => {
    const { panel, click } = renderScreen('/audit?text=rare', {
      responses: {
        'GET /panel/users': users(),
        // A panel with millions of records returns empty pages before the first match.
        'GET /panel/audit': ({ query: { before } }) =>
          before === '994'
            ? auditPage([signedIn])
            : auditPage([], { next_before: Number(before ?? 1000) - 1 }),
      },
    });
    const cursors = () => panel.requests('GET /panel/audit').map(({ query }) => query.before);
    await screen.findByText(/No match in the newest records/);
    expect(cursors()).toEqual([undefined, '999', '998', '997', '996']);
    await click('Search older records');
    await findRecord(SIGNED_IN);
    expect(cursors().slice(5)).toEqual(['995', '994']);
  });
});

describe('AuditPage', () => {
  it('tells managers that only owners may open it', async () => {
    renderScreen('/audit', { role: 'manager' });
    await screen.findByRole('heading', { name: 'This page is for owners' });
    await expectAccessible('owners only');
  });

  it('shows why a filter is invalid, and clears it', async () => {
    const { panel, click, address } = renderScreen('/audit?from=yesterday', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/audit': ({ query }) =>
          query.from === 'yesterday'
            ? errorResponse('invalid_request', { error: 'from must match format "date-time".' })
            : auditPage([signedIn]),
      },
    });
    within(await screen.findByRole('alert')).getByText(/from/);
    await click('Retry');
    await waitFor(() => expect(panel.requests('GET /panel/audit')).toHaveLength(2));
    expect(panel.requests('GET /panel/audit')[1]?.query).toEqual({ from: 'yesterday' });
    within(await screen.findByRole('alert')).getByText(/from/);
    await click('Clear filters');
    await findRecord(SIGNED_IN);
    expect(address()).toBe('/audit');
    expect(panel.requests('GET /panel/audit').at(-1)?.query).toEqual({});
  });

  it('shows the error and retries', async () => {
    const { panel, click } = renderScreen('/audit?text=rare', {
      responses: { 'GET /panel/users': users(), 'GET /panel/audit': errorResponse('rate_limited') },
    });
    within(await screen.findByRole('alert')).getByText(/Too many requests/);
    panel.setResponses({ 'GET /panel/audit': auditPage([signedIn]) });
    await click('Retry');
    await findRecord(SIGNED_IN);
    expect(panel.requests('GET /panel/audit').map(({ query }) => query)).toEqual([
      { text: 'rare' },
      { text: 'rare' },
    ]);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
