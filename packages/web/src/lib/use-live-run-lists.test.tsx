import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { stubEventStreams } from '../../test/event-stream.ts';
import { runOf, summaryOf, users } from '../../test/panel-fixtures.ts';
import { inMain, renderScreen } from '../../test/render-screen.tsx';
import type { Run } from './runs-api.ts';

const LISTS = '/panel/runs/events';
const RUNNING = { status: 'running', finished_at: null } as const;

/** A run on two sites, of which some have succeeded. */
const running = (succeeded: number, run_id = 1) =>
  summaryOf(
    runOf([], { ...RUNNING, run_id, total: 2, counts: { succeeded, running: 2 - succeeded } }),
  );
const finished = (run_id = 1) =>
  summaryOf(runOf([], { run_id, total: 2, counts: { succeeded: 2 } }));
const list = (...runs: Run[]) => ({ success: true as const, runs });

async function openRuns(...runs: Run[]) {
  const streams = stubEventStreams();
  const view = renderScreen('/runs', {
    responses: {
      'GET /panel/users': users(),
      'GET /panel/runs': ({ query }) =>
        query.status === 'running'
          ? list(...runs.filter((run) => run.status === 'running'))
          : list(...runs),
    },
  });
  await screen.findByRole('heading', { name: 'Runs' });
  await screen.findAllByRole('listitem');
  const lists = () =>
    view.panel.requests('GET /panel/runs').filter(({ query }) => query.status === undefined);
  return { ...view, ...streams, lists };
}

describe('the lists of runs', () => {
  it('show the progress of each event without a request', async () => {
    const { send, lists } = await openRuns(running(0));
    await waitFor(() => expect(screen.getAllByText('0 %')).toHaveLength(2));
    await send(LISTS, 'runs', { runs: [running(1)], newest_run_id: 1 });
    await waitFor(() => expect(screen.getAllByText('50 %')).toHaveLength(2));
    expect(lists()).toHaveLength(1);
  });

  it('are requested again when a run has finished', async () => {
    const { send, lists, panel } = await openRuns(running(1));
    panel.setResponses({ 'GET /panel/runs': list(finished()) });
    await send(LISTS, 'runs', { runs: [], newest_run_id: 1 });
    await inMain().findByText('Succeeded');
    expect(screen.queryByText('50 %')).toBeNull();
    expect(lists()).toHaveLength(2);
    await send(LISTS, 'runs', { runs: [], newest_run_id: 1 });
    expect(lists()).toHaveLength(2);
  });

  it('are requested until they no longer show a finished run as running', async () => {
    const { send, lists, panel } = await openRuns(running(1));
    await send(LISTS, 'runs', { runs: [], newest_run_id: 1 });
    await waitFor(() => expect(lists()).toHaveLength(2));
    // The response came from a replica that did not have the change yet.
    panel.setResponses({ 'GET /panel/runs': list(finished()) });
    await send(LISTS, 'runs', { runs: [], newest_run_id: 1 });
    await inMain().findByText('Succeeded');
  });

  it('show a run that was started elsewhere and finished between two events', async () => {
    const { send, panel } = await openRuns(finished());
    panel.setResponses({ 'GET /panel/runs': list(finished(2), finished()) });
    await send(LISTS, 'runs', { runs: [], newest_run_id: 2 });
    await waitFor(() => expect(inMain().getAllByText('Succeeded')).toHaveLength(2));
  });

  it('are requested again when the stream is interrupted', async () => {
    const { interrupt, panel } = await openRuns(running(1));
    panel.setResponses({ 'GET /panel/runs': list(finished()) });
    await interrupt(LISTS);
    await inMain().findByText('Succeeded');
  });

  it('have no stream in a hidden tab', async () => {
    const { isOpen } = await openRuns(finished());
    const setHidden = (hidden: boolean) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    expect(isOpen(LISTS)).toBe(true);
    try {
      setHidden(true);
      expect(isOpen(LISTS)).toBe(false);
      setHidden(false);
      expect(isOpen(LISTS)).toBe(true);
    } finally {
      Reflect.deleteProperty(document, 'hidden');
    }
  });
});
