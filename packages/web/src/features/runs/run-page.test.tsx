import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { stubEventStreams } from '../../../test/event-stream.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { runOf, summaryOf, task, users } from '../../../test/panel-fixtures.ts';
import { findDialog, inMain, renderScreen } from '../../../test/render-screen.tsx';
import type { Task } from '../../lib/runs-api.ts';

const EVENTS = '/panel/runs/1/events';
const NO_RUNS = { success: true as const, runs: [] };
const findLine = (name: RegExp) => screen.findByRole('button', { name, expanded: false });

describe('RunPage', () => {
  it('offers a sync when the result is unknown', async () => {
    const unsure = task({
      site_url: 'https://example.com/unsure',
      status: 'unknown',
      error: 'The response was lost.',
      http_status: null,
    });
    const synced = runOf([task({ site_url: 'https://example.com/unsure' })], {
      run_id: 2,
      kind: 'sync',
    });
    const { user, panel, address } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': ({ path }) => (path.endsWith('/2') ? synced : runOf([unsure])),
        'POST /panel/sites/sync': synced,
      },
    });
    await user.click(await findLine(/\/unsure/));
    screen.getByText(/The site may or may not have made the change\./);
    const lines = within(screen.getByRole('list', { name: 'Sites of this run' }));
    await user.click(lines.getByRole('button', { name: 'Sync this site' }));
    await screen.findByRole('heading', { name: 'Sync of example.com/unsure' });
    expect(address()).toBe('/runs/2');
    expect(panel.requests('POST /panel/sites/sync').map(({ body }) => body)).toEqual([
      { site_ids: [1] },
    ]);
  });

  it('loads omitted details when a line is opened', async () => {
    const failed = task({ task_id: 7, site_url: 'https://example.com/big', status: 'failed' });
    const details = {
      success: false,
      results: { plugins: [], themes: [], core: null },
      errors: [{ type: 'system' as const, slug: null, error: 'It was cut.' }],
    };
    const { user } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([{ ...failed, details: null, details_omitted: true }]),
        'GET /panel/runs/:id/tasks/:task_id': ({ path }) =>
          path === '/panel/runs/1/tasks/7'
            ? { success: true, task: { ...failed, details } }
            : errorResponse('not_found'),
      },
    });
    await user.click(await findLine(/\/big/));
    await screen.findByText('It was cut.', { selector: 'span' });
  });

  it('shows an empty state for an unknown run', async () => {
    const { click, address } = renderScreen('/runs/4000000', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': errorResponse('run_not_found'),
      },
    });
    await screen.findByRole('heading', { name: 'There is no such run' });
    await click('Go to the runs', 'link');
    await screen.findByRole('heading', { name: 'Runs' });
    expect(address()).toBe('/runs');
  });

  it('shows a viewer no actions', async () => {
    const { code, error } = errorResponse('site_not_found').body;
    const refused = runOf([
      task({
        site_id: 7_000_000,
        site_url: null,
        status: 'refused',
        http_status: null,
        code,
        error,
      }),
    ]);
    const { user } = renderScreen('/runs/1', {
      role: 'viewer',
      responses: {
        'GET /panel/runs/:id': refused,
        'GET /panel/runs': ({ query }) =>
          query.status === 'running' ? NO_RUNS : { success: true, runs: [summaryOf(refused)] },
      },
    });
    await user.click(await findLine(/Site 7000000/));
    screen.getByText(/The site was removed, or you do not have access to it\./);
    expect(screen.queryByRole('button', { name: /Retry|Sync|Cancel run/ })).toBeNull();
    await user.click(screen.getAllByRole('link', { name: 'Runs' })[0] as HTMLElement);
    await screen.findByRole('heading', { name: 'Runs' });
    await screen.findByText('1 refused');
  });
});

describe('the texts of runs', () => {
  it('explains a failure, with the raw response and a link to the site', async () => {
    const { code, error } = errorResponse('site_unreachable').body;
    const failed = task({ site_url: 'https://example.com/down', status: 'failed', code, error });
    const { user } = renderScreen('/runs/1', {
      responses: { 'GET /panel/users': users(), 'GET /panel/runs/:id': runOf([failed]) },
    });
    await user.click(await findLine(/\/down/));
    screen.getByText('No changes were made.');
    screen.getByText('Raw response');
    screen.getByRole('link', { name: 'Site details' });
  });

  it('says how far the pages were checked', async () => {
    const until = '2026-06-02T00:00:00Z';
    const watch = { state: 'watching' as const, until, error: null, items: [] };
    const compared = task({
      ...{ task_id: 1, site_url: 'https://example.com/good', notes: ['17 pages compared.'] },
      watch: { ...watch, pages_compared: 17, pages_planned: 17 },
    });
    const error =
      '2 of 17 pages could be checked, because this host answers one request at a time.';
    const unchecked = task({
      ...{ task_id: 2, site_id: 2, site_url: 'https://example.com/slow', status: 'unverified' },
      ...{ code: 'pages_not_checked', error },
    });
    const { user } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([compared, unchecked]),
        'GET /panel/runs/:id/tasks/:task_id': { success: true, task: compared },
      },
    });
    await findLine(/good.*, 17 pages compared/);
    await user.click(await findLine(/slow.*: 2 of 17 pages could be checked/));
    screen.getByText(/no checked page shows a problem/);
  });

  it('shows which version a failed item has now', async () => {
    const result = (slug: string, old_version: string, new_version: string) => ({
      ...{ slug, name: slug, old_version, new_version },
      ...{ success: false, error: `${slug} failed.` },
    });
    const plugins = [
      result('kept', '1.0', '1.0'),
      result('broken', '2.0', '2.1'),
      result('gone', '3.0', ''),
    ];
    const failed = task({
      site_url: 'https://example.com/broken',
      status: 'failed',
      details: { success: false, results: { plugins, themes: [], core: null }, errors: [] },
    });
    const { user } = renderScreen('/runs/1', {
      responses: { 'GET /panel/users': users(), 'GET /panel/runs/:id': runOf([failed]) },
    });
    await user.click(await findLine(/\/broken/));
    const items = within(screen.getByRole('list', { name: 'Items' }));
    items.getByText('still 1.0');
    items.getByText('now 2.1');
    items.getByText('not on the site');
  });

  it('names one state with one word everywhere', async () => {
    const partly = task({ site_url: 'https://example.com/partly', status: 'partial' });
    const { user } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([partly]),
        'GET /panel/runs': ({ query }) =>
          query.status === 'running'
            ? NO_RUNS
            : { success: true, runs: [summaryOf(runOf([partly]))] },
      },
    });
    await user.click(await findLine(/Partly failed.*\/partly/));
    screen.getByRole('link', { name: /^Partly failed/ });
    screen.getByText(/A failed item has its old version, if its error names no failed rollback/);
    await user.click(screen.getAllByRole('link', { name: 'Runs' })[0] as HTMLElement);
    await screen.findByText('Update and sync history');
    await screen.findByText('Partly failed');
    screen.getByText('1 partly failed');
  });

  it('names the states of sites that have not finished', async () => {
    const open = { finished_at: null, http_status: null };
    const queued = { status: 'queued', ...open } as const;
    const tasks = [
      task({ task_id: 1, site_url: 'https://example.com/queued', ...queued, started_at: null }),
      // The site was busy.
      task({ task_id: 4, site_url: 'https://example.com/again', ...queued }),
      task({ task_id: 2, site_url: 'https://example.com/running', status: 'running', ...open }),
      task({ task_id: 3, site_url: 'https://example.com/lost', status: 'unknown', ...open }),
    ];
    const { user } = renderScreen('/runs/1', {
      responses: { 'GET /panel/users': users(), 'GET /panel/runs/:id': runOf(tasks) },
    });
    await findLine(/Verifying.*\/lost/);
    await findLine(/Running.*\/running.*Updating…/);
    await user.click(
      await findLine(/Queued.*\/queued.*Waits for other sites, or for another action on this site/),
    );
    screen.getByText(
      /^Queued\. Waits for other sites, or for another action .* ask an owner to check/,
    );
    await user.click(await findLine(/Trying again.*\/again/));
    screen.getByText(/^The site was busy or did not respond, and nothing was changed/);
    screen.getByRole('link', { name: 'Trying again 1' });
    await user.click(screen.getByRole('link', { name: 'Queued 1' }));
    await waitFor(() => expect(screen.queryByText(/^example\.com\/again/)).toBeNull());
    screen.getByText(/^example\.com\/queued/);
  });

  it('omits queued sites from the dialog to cancel a run if there are none', async () => {
    stubEventStreams();
    const running = task({ status: 'running', finished_at: null, http_status: null });
    const { click } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([running], { status: 'running', finished_at: null }),
      },
    });
    await screen.findByRole('button', { name: 'Cancel run' });
    await click('Cancel run');
    const dialog = within(await findDialog('Cancel this run?'));
    dialog.getByText(/^1 site is in progress and will finish/);
    expect(dialog.queryByText(/will not be changed/)).toBeNull();
  });

  it('names the schedule, and the time at which the window of a waiting site opens', async () => {
    const opening = new Date(Date.now() + 86_400_000).toISOString();
    const waiting = task({
      site_url: 'https://example.com/waits',
      status: 'queued',
      http_status: null,
      started_at: null,
      finished_at: null,
      window_opens_at: opening,
    });
    const { user } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([waiting], {
          schedule: { schedule_id: 3, name: 'Weekly updates' },
        }),
      },
    });
    await user.click(await findLine(/\/waits.*Waits for its window, which opens /));
    screen.getByText(/Cancel the run, or disable its schedule/);
    expect(screen.getByRole('link', { name: 'Weekly updates' }).getAttribute('href')).toBe(
      '/schedules',
    );
  });

  it('names the items of a running task', async () => {
    const open = { status: 'running' as const, finished_at: null, http_status: null };
    const items = ['woo/woo.php', 'form/form.php', 'seo/seo.php'].map((slug) => ({
      type: 'plugin' as const,
      slug,
      version: '8.1',
    }));
    const tasks = [
      task({ task_id: 1, site_url: 'https://one.example.com', ...open, items: items.slice(0, 1) }),
      task({ task_id: 2, site_url: 'https://all.example.com', ...open, items }),
    ];
    const run = runOf(tasks, {
      request: { items, items_total: 3 },
      item_names: [{ type: 'plugin', slug: 'woo/woo.php', name: 'WooCommerce' }],
    });
    renderScreen('/runs/1', {
      responses: { 'GET /panel/users': users(), 'GET /panel/runs/:id': run },
    });
    await screen.findByRole('heading', { name: 'Update 3 items on 2 sites' });
    await findLine(/one\.example\.com.*Updating WooCommerce 8\.1…/);
    await findLine(/all\.example\.com.*Updating 3 items…/);
  });

  it('explains the empty list of runs', async () => {
    renderScreen('/runs', {
      responses: { 'GET /panel/runs': NO_RUNS, 'GET /panel/users': users() },
    });
    await screen.findByText(/Results appear here live\./);
  });
});

describe('the list of runs', () => {
  it('links to the sites while it is empty', async () => {
    renderScreen('/runs', {
      responses: { 'GET /panel/runs': NO_RUNS, 'GET /panel/users': users() },
    });
    const link = await screen.findByRole('link', { name: 'Go to sites' });
    expect(link.getAttribute('href')).toBe('/sites');
  });

  it('counts a running run behind many newer ones, and the rail links to it', async () => {
    const open = { finished_at: null, http_status: null };
    const running = runOf([task({ status: 'running', ...open })], {
      run_id: 7,
      status: 'running',
      finished_at: null,
    });
    const newer = Array.from({ length: 50 }, (_, index) =>
      summaryOf(runOf([task()], { run_id: 100 - index })),
    );
    renderScreen('/runs', {
      responses: {
        'GET /panel/runs': ({ query }) => ({
          success: true,
          runs: query.status === 'running' ? [summaryOf(running)] : newer,
        }),
        'GET /panel/users': users(),
      },
    });
    await screen.findByText('Update and sync history, 1 running');
    const link = await screen.findByRole('link', {
      name: 'Open the latest run: 0 %, 0 of 1 sites done',
    });
    expect(link.getAttribute('href')).toBe('/runs/7');
  });

  it('loads older runs', async () => {
    const page = (last: number) =>
      Array.from({ length: 50 }, (_, index) =>
        summaryOf(runOf([task()], { run_id: last - index })),
      );
    const { click, panel } = renderScreen('/runs', {
      responses: {
        'GET /panel/runs': ({ query }) => ({
          success: true,
          runs: query.before ? page(50).slice(0, 1) : page(100),
        }),
        'GET /panel/users': users(),
      },
    });
    const list = within(await screen.findByRole('list', { name: 'Runs' }));
    expect(list.getAllByRole('listitem')).toHaveLength(50);
    await click('Load older runs');
    await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(51));
    expect(panel.requests('GET /panel/runs').at(-1)?.query).toMatchObject({ before: '51' });
  });
});

describe('the order of the sites', () => {
  const names = () =>
    within(screen.getByRole('list', { name: 'Sites of this run' }))
      .getAllByRole('listitem')
      .map((line) => /(\w)\.example\.com/.exec(line.textContent)?.[1]);

  it('stays while the run is running; failures come first after its end', async () => {
    const open = { started_at: null, finished_at: null, http_status: null };
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name, index) =>
      task({
        task_id: index + 1,
        site_url: `https://${name}.example.com`,
        status: 'queued',
        ...open,
      }),
    ) as [Task, Task, Task, Task];
    const counts = { queued: 4 };
    const { send } = stubEventStreams();
    const run = runOf([a, b, c], { status: 'running', finished_at: null, total: 4, counts });
    renderScreen('/runs/1', {
      responses: { 'GET /panel/users': users(), 'GET /panel/runs/:id': run },
    });
    await findLine(/a\.example\.com/);
    const failed = { ...c, status: 'failed' as const, finished_at: run.created_at };
    for (const changed of [failed, { ...b, status: 'running' }, d])
      await send(EVENTS, 'task', changed);
    await findLine(/Failed.*c\.example\.com/);
    // On a slow machine, the events arrive in several frames.
    await waitFor(() => expect(names()).toEqual(['a', 'b', 'c', 'd']));
    await send(
      EVENTS,
      'run',
      summaryOf({ ...run, status: 'finished', finished_at: run.created_at }),
    );
    await send(EVENTS, 'end');
    await waitFor(() => expect(names()).toEqual(['c', 'b', 'a', 'd']));
  });
});

describe('a run of a schedule', () => {
  it('warns before a retry that the window may be closed', async () => {
    const failed = runOf(
      [task({ status: 'failed', error: 'No space left.', code: 'action_failed' })],
      { schedule: { schedule_id: 3, name: 'Weekly updates' } },
    );
    const { panel, click } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': failed,
        'POST /panel/runs/:id/retry': errorResponse('nothing_to_retry'),
      },
    });
    await screen.findByRole('button', { name: 'Retry 1 site' });
    await click('Retry 1 site');
    const dialog = within(await findDialog('Retry now?'));
    dialog.getByText(/even outside of the window of Weekly updates/);
    expect(panel.requests('POST /panel/runs/:id/retry')).toEqual([]);
    await click('Retry now');
    await waitFor(() => expect(panel.requests('POST /panel/runs/:id/retry')).toHaveLength(1));
  });
});

describe('a retried run', () => {
  it('shows that an owner retried it, without a link, to other users', async () => {
    const failed = runOf([
      task({ status: 'failed', error: 'No space left.', code: 'action_failed' }),
    ]);
    const { panel, click } = renderScreen('/runs/1', {
      role: 'manager',
      responses: {
        'GET /panel/runs/:id': failed,
        'POST /panel/runs/:id/retry': errorResponse('run_already_retried'),
      },
    });
    await screen.findByRole('button', { name: 'Retry 1 site' });
    // An owner retries the run first. The button is still visible on this page.
    panel.setResponses({
      'GET /panel/runs/:id': { ...failed, is_retried: true, retried_by: null },
    });
    await click('Retry 1 site');
    await screen.findByText('An owner has retried this run.');
    expect(panel.requests('POST /panel/runs/:id/retry').map(({ path }) => path)).toEqual([
      '/panel/runs/1/retry',
    ]);
    expect(screen.queryByRole('button', { name: 'Retry 1 site' })).toBeNull();
    expect(screen.queryByRole('link', { name: /Retried in run/ })).toBeNull();
  });
});

describe('a run of another user', () => {
  it('shows the sites of a manager, who cannot cancel or retry it', async () => {
    const failed = runOf(
      [task({ status: 'failed', error: 'No space left.', code: 'action_failed' })],
      { only_your_sites: true, created_by: 2 },
    );
    const responses = { 'GET /panel/runs/:id': failed };
    renderScreen('/runs/1', { role: 'manager', responses });
    await screen.findByText(/Started by another user/);
    inMain().getByText(/You see only your sites\. To repeat it, start a new run on them\./);
    inMain().getByText('No space left.');
    screen.getByRole('button', { name: /^Sync/ });
    expect(screen.queryByRole('button', { name: /Retry 1 site|Cancel run/ })).toBeNull();
  });
});
