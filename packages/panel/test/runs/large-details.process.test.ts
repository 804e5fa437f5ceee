import { followRun } from '@steward/testkit/panel/event-stream.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { startsWorker: false });

type Result = { task_id: number; details: unknown; details_omitted?: true };

/** Stores a finished run with `items` detail items per task. */
async function createFinishedRun(tasks: number, items: number): Promise<number> {
  const { pool } = fixture.panel;
  const { rows } = await pool.query(
    `INSERT INTO runs (kind, request, origin, created_by, total, open_tasks, created_at, finished_at)
     VALUES ('update', '{}', '{}', $1, $2, 0, now(), now()) RETURNING id`,
    [fixture.owner.id, tasks],
  );
  const [{ id }] = rows;
  await pool.query(
    `INSERT INTO run_tasks (run_id, position, site_id, status, finished_at, plugins_updated, details)
     SELECT $1, position, position, 'succeeded', now(), $3, (
       SELECT jsonb_build_object('success', true, 'errors', '[]'::jsonb, 'results',
         jsonb_build_object('themes', '[]'::jsonb, 'core', NULL, 'plugins', jsonb_agg(
           jsonb_build_object('slug', item || '/a.php', 'new_version', '2.0', 'success', true))))
       FROM generate_series(1, $3::integer) AS item)
     FROM generate_series(0, $2 - 1) AS position`,
    [id, tasks, items],
  );
  return Number(id);
}

const results = async (runId: number): Promise<Result[]> =>
  (await fixture.owner.get(`/panel/runs/${runId}`)).body.results;

const TOO_LARGE = {
  success: false,
  results: { plugins: [], themes: [], core: null },
  errors: [{ type: 'system', slug: null, error: 'The stored response is too large to show.' }],
};

describe('a run with large responses', () => {
  it('lists all tasks with details up to 4 MB, and the rest per task', async () => {
    const runId = await createFinishedRun(40, 2000);
    const shown = await results(runId);
    expect(shown).toHaveLength(40);
    const omitted = shown.filter(({ details_omitted }) => details_omitted);
    expect(omitted.length).toBeGreaterThan(0);
    expect(shown.slice(0, -omitted.length).every(({ details }) => details !== null)).toBe(true);
    expect(omitted.every(({ details }) => details === null)).toBe(true);
    expect(JSON.stringify(shown).length).toBeLessThan(5 * 1024 * 1024);

    const path = `/panel/runs/${runId}/tasks/${omitted[0]?.task_id}`;
    const { status, body } = await fixture.owner.get(path);
    expect(status).toBe(200);
    expect(body.task).toMatchObject({ task_id: omitted[0]?.task_id, status: 'succeeded' });
    expect(body.task.details.results.plugins).toHaveLength(2000);
    expect(body.task.details_omitted).toBeUndefined();

    const events = await (await followRun(fixture.panelUrl, runId, fixture.owner)).all();
    const tasks = events.filter(({ event }) => event === 'task').map(({ data }) => data);
    expect(tasks.filter(({ details_omitted }) => details_omitted)).toHaveLength(omitted.length);
  });

  it('shows an error instead of oversized details from before the limit', async () => {
    const runId = await createFinishedRun(2, 67_000);
    const [task] = await results(runId);
    expect(task).toMatchObject({ details: TOO_LARGE, plugins: { updated: 67_000, failed: 0 } });
    const path = `/panel/runs/${runId}/tasks/${task?.task_id}`;
    expect((await fixture.owner.get(path)).body.task.details).toEqual(TOO_LARGE);
    const [event] = await (await followRun(fixture.panelUrl, runId, fixture.owner)).all();
    expect(event?.data.details).toEqual(TOO_LARGE);
  });

  it('shows a task only within its run and to users who can view the run', async () => {
    const [one, other] = [await createFinishedRun(1, 1), await createFinishedRun(1, 1)];
    const [task] = await results(other);
    const response = await fixture.owner.get(`/panel/runs/${one}/tasks/${task?.task_id}`);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
    const manager = await newSignedInUser(fixture.panel, 'manager');
    const refused = await manager.get(`/panel/runs/${other}/tasks/${task?.task_id}`);
    expect([refused.status, refused.body.code]).toEqual([404, 'run_not_found']);
  });
});
