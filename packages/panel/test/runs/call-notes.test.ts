import { testLogger } from '@steward/testkit/logs.ts';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { forgetCall } from '../../src/features/runs/tasks.repository.ts';
import { type CallNotes, createCallNotes } from '../../src/features/runs/worker/call-notes.ts';
import { claimTasks } from '../../src/features/runs/worker/claim.ts';
import { openQueue, type Queue } from '../../src/lib/queue.ts';

/** A worker's notes on real tasks, one step at a time. */

const scene = useRunScene({}, { works: false });
let queue: Queue;
let notes: CallNotes;
let clock: { now(): Date };

beforeAll(async () => {
  const { panel } = scene;
  queue = await openQueue({
    ...panel,
    log: testLogger(),
    supervises: false,
    leaseSeconds: 30,
  });
  clock = { now: () => panel.edges.now };
  const deps = { ...panel.services, db: panel.db, queue, clock, log: testLogger() };
  notes = createCallNotes({ ...deps, leaseSeconds: 30, isRunning: () => true });
  return () => queue.close();
});

/** A run over so many sites, of which the first task is claimed and its call noted. */
async function startNoted({ sites = 1 } = {}) {
  const { panel } = scene;
  const made = [];
  for (let count = 0; count < sites; count++) made.push(await scene.newSite());
  const runId = await scene.startUpdate(made.map(({ id }) => id));
  const jobs = await queue.take(1);
  const deps = { ...panel.services, db: panel.db, queue, clock };
  const { begun } = await claimTasks(jobs, { ...deps, worker: 'one' });
  const [call] = begun;
  if (!call) throw new Error('Nothing was claimed.');
  expect(await notes.begin(call)).toHaveProperty('site');
  const theTask = () => scene.task(runId, call.task.site_id);
  return { runId, call, theTask };
}

describe('a call that is noted', () => {
  it('is under way for whoever cancels, until the note is taken back: then it is cancelled too', async () => {
    const { runId, call, theTask } = await startNoted({ sites: 3 });
    await scene.owner.post(`/panel/runs/${runId}/cancel`);
    expect((await scene.owner.get(`/panel/runs/${runId}`)).body.counts).toEqual({
      cancelled: 2,
      running: 1,
    });

    await notes.undo(call.task);
    expect(await theTask()).toMatchObject({ status: 'cancelled', called_at: null });
    const { counts, status } = (await scene.owner.get(`/panel/runs/${runId}`)).body;
    expect([counts, status]).toEqual([{ cancelled: 3 }, 'finished']);
    expect(await notes.begin(call)).toBe('taken_over');
    expect(await scene.audit(call.task.site_id, 'remote_update')).toMatchObject([
      { actor: 'system', context: { run_id: runId, outcome: 'cancelled' } },
    ]);
    // The site is free for others.
    const { rows } = await scene.panel.pool.query('SELECT FROM site_calls WHERE site_id = $1', [
      call.task.site_id,
    ]);
    expect(rows).toEqual([]);
  });

  it('can be cancelled by a person once the note is taken back', async () => {
    const { runId, call, theTask } = await startNoted();
    await notes.undo(call.task);
    expect(await theTask()).toMatchObject({ status: 'running', called_at: null });
    await scene.owner.post(`/panel/runs/${runId}/cancel`);
    expect(await theTask()).toMatchObject({ status: 'cancelled' });
  });

  it('stays noted when an older note is taken back late', async () => {
    const { call, theTask } = await startNoted();
    const notedBy = scene.panel.edges.now;
    scene.panel.edges.now = new Date(notedBy.getTime() + 1000);
    expect(await notes.begin(call)).toHaveProperty('site');
    const { db } = scene.panel;
    await db.transaction().execute((trx) => forgetCall(trx, call.task, notedBy));
    expect((await theTask()).called_at).toEqual(scene.panel.edges.now);
    await notes.undo(call.task);
    expect((await theTask()).called_at).toBeNull();
  });

  it('stays noted when a worker that was replaced takes it back', async () => {
    const { call, theTask } = await startNoted();
    const before = { ...call.task, attempt: call.task.attempt - 1 };
    await notes.undo(before);
    expect((await theTask()).called_at).not.toBeNull();
  });
});
