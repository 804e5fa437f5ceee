import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../../test/panel-answers.ts';
import { runOf, summaryOf, task, users } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

const NO_RUNS = { success: true as const, runs: [] };
const findLine = (name: RegExp) => screen.findByRole('button', { name, expanded: false });

describe('a run', () => {
  it('offers a sync where it is not known what happened', async () => {
    const unsure = task({
      site_url: 'https://example.com/unsure',
      status: 'unknown',
      error: 'The answer was lost.',
      http_status: null,
    });
    const synced = runOf([task({ site_url: 'https://example.com/unsure' })], {
      run_id: 2,
      kind: 'sync',
    });
    const { user, panel, address } = renderScreen('/runs/1', {
      answers: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': ({ path }) => (path.endsWith('/2') ? synced : runOf([unsure])),
        'POST /panel/sites/sync': synced,
      },
    });
    await user.click(await findLine(/\/unsure/));
    screen.getByText(/It may or may not have happened\./);
    const lines = within(screen.getByRole('list', { name: 'Sites of this run' }));
    await user.click(lines.getByRole('button', { name: 'Sync this site' }));
    await screen.findByRole('heading', { name: 'Sync of 1 site' });
    expect(address()).toBe('/runs/2');
    expect(panel.requests('POST /panel/sites/sync').map(({ body }) => body)).toEqual([
      { site_ids: [1] },
    ]);
  });

  it('loads the details of a site that the run left out when its line is opened', async () => {
    const failed = task({ task_id: 7, site_url: 'https://example.com/big', status: 'failed' });
    const details = {
      success: false,
      results: { plugins: [], themes: [], core: null },
      errors: [{ type: 'system' as const, slug: null, error: 'It was cut.' }],
    };
    const { user } = renderScreen('/runs/1', {
      answers: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([{ ...failed, details: null, details_omitted: true }]),
        'GET /panel/runs/:id/tasks/:task_id': ({ path }) =>
          path === '/panel/runs/1/tasks/7'
            ? { success: true, task: { ...failed, details } }
            : refusal('not_found'),
      },
    });
    await user.click(await findLine(/\/big/));
    await screen.findByText('It was cut.', { selector: 'span' });
  });

  it('that does not exist has a page that says so', async () => {
    const { click, address } = renderScreen('/runs/4000000', {
      answers: { 'GET /panel/users': users(), 'GET /panel/runs/:id': refusal('run_not_found') },
    });
    await screen.findByRole('heading', { name: 'There is no such run' });
    await click('Go to the runs', 'link');
    await screen.findByRole('heading', { name: 'Runs' });
    expect(address()).toBe('/runs');
  });

  it('has no buttons for somebody who only looks', async () => {
    const { code, error } = refusal('site_not_found').body;
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
      as: 'viewer',
      answers: {
        'GET /panel/runs/:id': refused,
        'GET /panel/runs': ({ query }) =>
          query.status === 'running' ? NO_RUNS : { success: true, runs: [summaryOf(refused)] },
      },
    });
    await user.click(await findLine(/Site 7000000/));
    screen.getByText(/It was removed, or it is not one of your sites\./);
    expect(screen.queryByRole('button', { name: /Retry|Sync|Cancel run/ })).toBeNull();
    await user.click(screen.getAllByRole('link', { name: 'Runs' })[0] as HTMLElement);
    await screen.findByRole('heading', { name: 'Runs' });
    await screen.findByText('1 refused');
  });
});

describe('a run that was tried again', () => {
  it('says so alone to who may not open the other', async () => {
    const failed = runOf([
      task({ status: 'failed', error: 'No space left.', code: 'action_failed' }),
    ]);
    const { panel, click } = renderScreen('/runs/1', {
      as: 'manager',
      answers: {
        'GET /panel/runs/:id': failed,
        'POST /panel/runs/:id/retry': refusal('run_already_retried'),
      },
    });
    await screen.findByRole('button', { name: 'Retry 1 site' });
    // An owner was quicker; who still sees the button learns it by pressing it.
    panel.nowAnswers({ 'GET /panel/runs/:id': { ...failed, is_retried: true, retried_by: null } });
    await click('Retry 1 site');
    await screen.findByText('An owner has tried it again.');
    expect(panel.requests('POST /panel/runs/:id/retry').map(({ path }) => path)).toEqual([
      '/panel/runs/1/retry',
    ]);
    expect(screen.queryByRole('button', { name: 'Retry 1 site' })).toBeNull();
    expect(screen.queryByRole('link', { name: /Tried again/ })).toBeNull();
  });
});
