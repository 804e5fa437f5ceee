import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { errorResponse } from '../../../test/fake-panel.ts';
import { runOf, summaryOf, task, users } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { describeOutcome } from './describe-outcome.ts';
import { groupTasks } from './group-tasks.ts';

const newTask = (id: number, overrides: Parameters<typeof task>[0] = {}) =>
  task({ task_id: id, site_id: id, site_url: `https://site-${id}.example.com`, ...overrides });
const fail = (id: number, error = `The host name site-${id}.example.com was not found.`) =>
  newTask(id, { status: 'failed', http_status: null, code: 'site_unreachable', error });

const FAILED = Array.from({ length: 61 }, (_, index) => fail(index + 1));
const SINGLE = fail(62, 'The connection was refused.');
const RUN = runOf([...FAILED, SINGLE, newTask(63)]);

const findGroup = (sites = 61) =>
  screen.findByRole('button', {
    name: new RegExp(`${sites} sites: The host name … was not found\\.`),
  });
const countLines = () =>
  within(screen.getByRole('list', { name: 'Sites of this run' })).getAllByRole('listitem').length;

describe('unsuccessful sites with the same cause', () => {
  it('are one line, which shows the sites on a click', async () => {
    const run = runOf([...FAILED.slice(0, 4), SINGLE, newTask(63)]);
    const { user } = renderScreen('/runs/1', {
      responses: { 'GET /panel/users': users(), 'GET /panel/runs/:id': run },
    });
    const group = await findGroup(4);
    expect(countLines()).toBe(3);
    screen.getByRole('button', { name: /site-62\.example\.com.*The connection was refused\./ });
    await user.click(group);
    expect(group.getAttribute('aria-expanded')).toBe('true');
    await screen.findByRole('button', { name: /Failed.*site-1\.example\.com/ });
    expect(countLines()).toBe(7);
    await user.click(group);
    expect(countLines()).toBe(3);
  });

  it('are retried together; the other sites can still be retried', async () => {
    const retry = runOf(
      FAILED.map((each) => ({ ...each, status: 'succeeded' as const, code: null, error: null })),
      { run_id: 2, retry_of: 1 },
    );
    const { panel, click, user } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': ({ path }) => (path.endsWith('/2') ? retry : RUN),
        'POST /panel/runs/:id/retry': retry,
      },
    });
    await findGroup();
    screen.getByRole('button', { name: 'Retry 62 sites' });
    await click('Retry these 61 sites');
    await screen.findByRole('heading', { name: 'Update of 61 sites' });
    expect(panel.requests('POST /panel/runs/:id/retry').map(({ body }) => body)).toEqual([
      { site_ids: FAILED.map(({ site_id }) => site_id) },
    ]);
    await user.click(screen.getByRole('link', { name: 'an earlier run' }));
    await findGroup();
    screen.getByRole('link', { name: 'Retried in run 2' });
    screen.getByRole('button', { name: 'Retry 1 site' });
    expect(screen.queryByRole('button', { name: /Retry these/ })).toBeNull();
  });

  it('have no retry button for a viewer', async () => {
    renderScreen('/runs/1', { role: 'viewer', responses: { 'GET /panel/runs/:id': RUN } });
    await findGroup();
    expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull();
  });
});

describe('the retry of one site', () => {
  it('repeats the plugin action on this site only', async () => {
    const request = { action: 'deactivate', plugin: 'shop/shop.php' };
    const run = runOf([SINGLE, fail(64)], { kind: 'plugin_action', request });
    const { user, panel } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': run,
        'POST /panel/runs/:id/retry': errorResponse('unavailable'),
      },
    });
    await user.click(await screen.findByRole('button', { name: /site-62/ }));
    const list = within(screen.getByRole('list', { name: 'Sites of this run' }));
    await user.click(list.getByRole('button', { name: /Retry/ }));
    expect(panel.requests('POST /panel/runs/:id/retry').map(({ body }) => body)).toEqual([
      { site_ids: [62] },
    ]);
  });
});

/** A task whose update of one plugin was rolled back. */
const rollBack = (id: number, error = 'Version 8.1 breaks the site: HTTP 500.') =>
  newTask(id, {
    status: 'failed',
    plugins: { updated: 0, failed: 1 },
    details: {
      success: false,
      results: {
        plugins: [
          { slug: 'shop', success: false, new_version: '8.0', error, rolled_back: true as const },
        ],
        themes: [],
        core: null,
      },
      errors: [],
    },
  });
const updated = (id: number, plugins = 1) =>
  newTask(id, { plugins: { updated: plugins, failed: 0 } });

describe('describeOutcome', () => {
  const describeTasks = (...tasks: ReturnType<typeof task>[]) =>
    describeOutcome(summaryOf(runOf(tasks)), tasks);

  it('counts rolled-back sites and gives the reason', () => {
    expect(describeTasks(updated(1), updated(2), rollBack(3))).toBe(
      'Updated on 2 of 3 sites, 1 rolled back. Reason: Version 8.1 breaks the site: HTTP 500.',
    );
  });

  it('gives the most frequent of several reasons', () => {
    expect(describeTasks(updated(1), fail(2), rollBack(3), rollBack(4))).toBe(
      'Updated on 1 of 4 sites, 2 rolled back, 1 failed. ' +
        'Most frequent reason (2 sites): Version 8.1 breaks the site: HTTP 500.',
    );
  });

  it('names the site of a single reason, and none of several reasons', () => {
    expect(describeTasks(updated(1), fail(2))).toBe(
      'Updated on 1 of 2 sites, 1 failed. Reason: The host name site-2.example.com was not found.',
    );
    expect(describeTasks(updated(1), fail(2), rollBack(3))).toBe(
      'Updated on 1 of 3 sites, 1 rolled back, 1 failed. The reasons differ: see the sites below.',
    );
  });

  it('does not count a site without a change as updated', () => {
    expect(describeTasks(updated(1), updated(2, 0), newTask(3, { status: 'unverified' }))).toBe(
      'Updated on 1 of 3 sites, 1 without changes, 1 unverified.',
    );
  });

  it('returns null for a single site', () => {
    expect(describeTasks(rollBack(1))).toBeNull();
  });
});

describe('groupTasks', () => {
  it('combines sites on which the same item failed for the same reason', () => {
    const tasks = [rollBack(1), updated(2), rollBack(3), rollBack(4, 'Disk full.')];
    expect(groupTasks(RUN, tasks)).toMatchObject([
      { tasks: [{ site_id: 1 }, { site_id: 3 }] },
      { site_id: 2 },
      { site_id: 4 },
    ]);
  });

  it('keeps tasks with another code, another error or no error apart', () => {
    const tasks = [
      fail(1),
      { ...fail(2), code: 'site_timeout' },
      fail(3, 'The connection was refused.'),
      newTask(4, { status: 'failed' }),
      newTask(5, { status: 'failed' }),
    ];
    expect(groupTasks(RUN, tasks)).toEqual(tasks);
  });
});
