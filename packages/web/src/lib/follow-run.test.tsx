import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { stubEventStreams } from '../../test/event-stream.ts';
import { errorResponse } from '../../test/fake-panel.ts';
import { runOf, siteDetails, task, users } from '../../test/panel-fixtures.ts';
import { renderScreen } from '../../test/render-screen.tsx';
import { responsesFor } from '../../test/site-screen.ts';

const RUNNING = { status: 'running', finished_at: null } as const;
const OPEN = { finished_at: null, http_status: null };

describe('the page of a run', () => {
  it('shows the end of the run without a working stream', async () => {
    const { interrupt } = stubEventStreams();
    const { panel } = renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([task({ status: 'running', ...OPEN })], RUNNING),
      },
    });
    await screen.findByRole('button', { name: 'Cancel run' });
    panel.setResponses({ 'GET /panel/runs/:id': runOf([task()]) });
    await interrupt('/panel/runs/1/events');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Cancel run' })).toBeNull());
  });
});

describe('a sync of one site', () => {
  const EVENTS = '/panel/runs/5/events';
  const queued = task({ status: 'queued', ...OPEN });

  async function startSync() {
    const streams = stubEventStreams();
    const view = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'POST /panel/sites/sync': runOf([queued], { ...RUNNING, run_id: 5, kind: 'sync' }),
      },
    });
    await view.click('Sync now');
    await waitFor(() => expect(streams.isOpen(EVENTS)).toBe(true));
    return { ...view, ...streams };
  }

  it('waits for the end of the event stream', async () => {
    const { send, isOpen } = await startSync();
    await send(EVENTS, 'task', { ...queued, status: 'running' });
    await send(EVENTS, 'task', task());
    expect(screen.queryByText(/^Synced /)).toBeNull();
    await send(EVENTS, 'end');
    await screen.findByText(/^Synced /);
    expect(isOpen(EVENTS)).toBe(false);
  });

  it('ends without a working stream', async () => {
    const { interrupt, panel } = await startSync();
    panel.setResponses({ 'GET /panel/runs/:id': runOf([task()], { run_id: 5, kind: 'sync' }) });
    await interrupt(EVENTS);
    await screen.findByText(/^Synced /);
  });

  it('keeps waiting while the panel restarts, and fails if the user has lost access', async () => {
    const { interrupt, panel, isOpen } = await startSync();
    panel.setResponses({ 'GET /panel/runs/:id': errorResponse('internal_error') });
    await interrupt(EVENTS);
    expect(isOpen(EVENTS)).toBe(true);
    panel.setResponses({ 'GET /panel/runs/:id': errorResponse('run_not_found') });
    await interrupt(EVENTS);
    await screen.findByText(errorResponse('run_not_found').body.error);
    expect(isOpen(EVENTS)).toBe(false);
  });
});
