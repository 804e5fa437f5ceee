import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describeRecord } from '@steward/web/describe-audit-record';
import { describe, expect, it } from 'vitest';
import {
  assertActionSucceeded,
  notStartedError,
} from '../../src/features/runs/outcome/action-response.ts';
import type { TaskView } from '../../src/features/runs/run-view.ts';

/** Tasks that end before their call. Without a worker, no task starts. */

const fixture = useRunFixture({}, { startsWorker: false });

const recordsOf = async (runId: number) => {
  const { rows } = await fixture.panel.pool.query(
    `SELECT actor, action, entity_type, entity_id, context FROM audit_log
     WHERE context->>'run_id' = $1 OR (entity_type = 'run' AND entity_id = $1) ORDER BY id`,
    [String(runId)],
  );
  return rows.slice(1);
};

const newestRun = async () => (await fixture.owner.get('/panel/runs')).body.runs[0];

describe('a plugin action that a user cancels before its call', () => {
  it('responds 409 and leaves an audit record of the site', async () => {
    const site = await fixture.newSite();
    const request = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    const response = fixture.owner.post('/remote/plugin-action', request);
    await expect.poll(async () => (await newestRun())?.kind).toBe('plugin_action');
    await fixture.owner.post(`/panel/runs/${(await newestRun()).run_id}/cancel`);
    const { status, body } = await response;
    expect([status, body.code]).toEqual([409, 'action_cancelled']);
    expect(site.calls).toEqual([]);
    expect(await fixture.readAudit(site.id, 'remote_plugin')).toMatchObject([
      {
        actor: String(fixture.owner.id),
        action: 'deactivate',
        entity_id: SHOP,
        context: { outcome: 'cancelled' },
      },
    ]);
  });
});

describe('a task that the panel withdraws before it starts', () => {
  it('is cancelled by the panel, not by a user, with an audit record of its site', async () => {
    const site = await fixture.newSite();
    const runId = await fixture.startUpdate([site.id]);
    const { runs } = fixture.panel;
    expect(await runs.withdraw(runId, 'not_begun_in_time')).toBe(true);
    expect(await fixture.task(runId, site.id)).toMatchObject({ status: 'cancelled' });
    expect((await fixture.waitForRun(runId)).cancelled_at).toBeNull();
    const recorded = await recordsOf(runId);
    expect(recorded).toMatchObject([
      {
        actor: 'system',
        action: 'cancel',
        context: { via: 'worker', cancelled: 1, reason: 'not_begun_in_time' },
      },
      { actor: 'system', entity_type: 'remote_update', context: { outcome: 'cancelled' } },
    ]);
    const names = { user: () => undefined, site: () => undefined, license: () => undefined };
    const [cancelled] = recorded;
    expect(cancelled && describeRecord(cancelled, names)).toMatchObject({
      actor: 'Steward',
      action: `cancelled run ${runId} because the sites could not be called in time; 1 site was not called`,
    });
    expect(await runs.withdraw(runId, 'not_begun_in_time')).toBe(false);
    expect(await recordsOf(runId)).toEqual(recorded);
  });

  it('responds 503 when the panel stops, and is not run later', async () => {
    const site = await fixture.newSite();
    const request = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    const response = fixture.owner.post('/remote/plugin-action', request);
    const isNew = async () => (await newestRun()).status === 'running';
    await expect.poll(isNew).toBe(true);
    const { run_id } = await newestRun();
    await fixture.panel.app.close();
    const { status, body } = await response;
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(body).toMatchObject({ run_id, error: expect.stringContaining('Nothing was changed') });
    expect(await fixture.task(run_id, site.id)).toMatchObject({ status: 'cancelled' });
    expect(await recordsOf(run_id)).toMatchObject([
      { actor: 'system', context: { reason: 'panel_stopping' } },
      { entity_type: 'remote_plugin', context: { outcome: 'cancelled' } },
    ]);
  });
});

describe('the response to a waiting client', () => {
  const task = { status: 'failed', code: null, error: null } as TaskView;
  const codeOf = (result: Partial<TaskView>, isStopping = false) => {
    try {
      assertActionSucceeded({ ...task, ...result }, 7, { isStopping });
    } catch (error) {
      return (error as { code: string }).code;
    }
    return 'succeeded';
  };

  it.each([
    [{ status: 'succeeded' }, 'succeeded'],
    [{ status: 'cancelled' }, 'action_cancelled'],
    [{ code: 'not_found' }, 'not_found'],
    [{ code: 'invalid_request' }, 'invalid_request'],
    [{ code: 'site_busy' }, 'site_busy'],
    [{ code: 'last_owner' }, 'site_invalid_response'],
    [{ code: 'made_up' }, 'site_invalid_response'],
    [{ status: 'unknown' }, 'site_timeout'],
  ] as [Partial<TaskView>, string][])('to %j is %s', (result, code) => {
    expect(codeOf(result)).toBe(code);
  });

  it('refers to the run if the action has not finished in time', () => {
    const assert = () =>
      assertActionSucceeded({ ...task, status: 'unknown' }, 7, { isStopping: false });
    expect(assert).toThrow(/did not respond in time\. .* see the run under Runs\.$/);
  });

  it('is not site_timeout if the panel is stopping', () => {
    expect(codeOf({ status: 'running' }, true)).toBe('unavailable');
  });

  it('states that nothing was changed if the action has not started', () => {
    for (const reason of ['panel_stopping', 'not_begun_in_time'] as const) {
      const { code, message } = notStartedError(reason, 7);
      expect([code, message]).toEqual([
        'unavailable',
        expect.stringContaining('Nothing was changed'),
      ]);
    }
  });
});
