import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { stubEventStreams } from '../../../../test/event-stream.ts';
import { runOf, task, users } from '../../../../test/panel-fixtures.ts';
import { inMain, renderScreen } from '../../../../test/render-screen.tsx';
import type { Task } from '../../../lib/runs-api.ts';

const SECONDS_AGO = 20;

/** Renders a run that started 20 s ago and returns its progress. */
async function renderProgress(counts: Record<string, number>, tasks: Task[] = []): Promise<string> {
  const total = Object.values(counts).reduce((sum, sites) => sum + sites, 0);
  const created_at = new Date(Date.now() - SECONDS_AGO * 1000).toISOString();
  const run = runOf(tasks, {
    ...{ status: 'running', finished_at: null, site: null, total, counts, created_at },
  });
  stubEventStreams();
  renderScreen('/runs/1', {
    responses: { 'GET /panel/users': users(), 'GET /panel/runs/:id': run },
  });
  await screen.findByRole('heading', { name: `Update of ${total} sites` });
  return inMain().getByRole('status').textContent;
}

describe('the estimate of a running run', () => {
  it('is omitted until a third of the sites is done', async () => {
    const progress = await renderProgress({ succeeded: 19, running: 10, queued: 31 });
    expect(progress).toMatch(/^31 % after 2\d s\.$/);
  });

  it('is a range', async () => {
    const progress = await renderProgress({ succeeded: 20, running: 10, queued: 30 });
    expect(progress).toMatch(/^33 % after 2\d s, about 4\d s to 1 min 2\d s left\.$/);
  });

  it('is omitted while a site is called again, after a pause', async () => {
    const again = task({ status: 'queued', finished_at: null, http_status: null });
    const progress = await renderProgress({ succeeded: 20, queued: 4 }, [again]);
    expect(progress).toMatch(
      /^83 % after 2\d s\. 1 site was busy or did not respond: Steward calls it again soon\.$/,
    );
  });

  it('is omitted for the last sites, which may be slow', async () => {
    const progress = await renderProgress({ succeeded: 58, failed: 1, running: 2 });
    expect(progress).toMatch(/^96 % after 2\d s\. Waiting for the last 2 sites\.$/);
  });
});

describe('a run of a rollout', () => {
  it('names the ring and links to the rollout', async () => {
    const rollout = { rollout_id: 7, name: 'Shop 5.3', ring: 'Canary' };
    renderScreen('/runs/1', {
      responses: { 'GET /panel/users': users(), 'GET /panel/runs/:id': runOf([], { rollout }) },
    });
    const link = await screen.findByRole('link', { name: 'Shop 5.3' });
    expect(link).toHaveProperty('pathname', '/rollouts/7');
    inMain().getByText(/Part of the rollout .*, ring “Canary”\./);
  });
});
