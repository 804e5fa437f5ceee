import { describe, expect, it } from 'vitest';
import type { SiteClient, SiteOutcome } from '../../../lib/site-client/index.ts';
import type { TaskToDo } from '../tasks.repository.ts';
import { PAUSES, type Pauses, performTask } from './perform-task.ts';

/** How often a site is called, and when the panel gives up. */

const pauses: Pauses = {
  connect: [0, 0],
  busy: [0, 0, 0],
  settle: { faulty: [0], busy: [0, 0, 0] },
  settleAction: { faulty: [], busy: [0] },
};

const busy = {
  kind: 'refused',
  httpStatus: 409,
  code: 'site_busy',
  error: 'Busy.',
} as const satisfies SiteOutcome<never>;
const unreachable = {
  kind: 'failed',
  code: 'site_unreachable',
  reason: 'connect',
  error: 'No connection.',
  sent: false,
  httpStatus: null,
  detail: 'ECONNREFUSED',
} as const satisfies SiteOutcome<never>;
const lost = { ...unreachable, reason: 'connection_lost', sent: true } as const;
const updated = {
  kind: 'answered',
  httpStatus: 200,
  body: { success: true, results: { plugins: [], themes: [], core: null }, errors: [] },
} as const;
const synced = { kind: 'answered', httpStatus: 200, body: { success: true } } as const;

const HAS_NOTHING = { plugins: [], themes: [], core: { version: '6.0' } };
const task = {
  id: 1,
  site_id: 2,
  kind: 'update',
  status: 'running',
  request: {},
  pending_before: HAS_NOTHING,
} as unknown as TaskToDo;
const deletion: TaskToDo = {
  ...task,
  kind: 'plugin_action',
  request: { action: 'delete', plugin: 'shop/shop.php' },
};
const site = { url: 'https://a.example', endpoint_url: null, license_key_encrypted: Buffer.of() };

/** With each sync that is answered comes a new report, or none. */
async function perform(
  updates: object[],
  syncs: object[] = [],
  { asked = task, reports = 1 } = {},
) {
  let reported = 0;
  const logged: object[] = [];
  const next = (answers: object[]) => async () => {
    const answer = answers.shift();
    if (!answer) throw new Error('The site was called once too often.');
    return answer;
  };
  const call = next(updates);
  const sync = async () => {
    const answer = (await next(syncs)()) as { kind: string };
    if (answer.kind === 'answered') reported += reports;
    return answer;
  };
  const siteClient = { bulkUpdate: call, pluginAction: call, sync } as unknown as SiteClient;
  const result = await performTask(asked, {
    siteClient,
    secrets: { decrypt: () => 'key' },
    signal: new AbortController().signal,
    withSlot: (call) => call(site),
    markUnknown: async () => {},
    readLastReport: async () => ({ inventory: HAS_NOTHING, inventory_at: new Date(reported) }),
    pauses,
    log: { info: (facts: object) => void logged.push(facts) },
  });
  return { result, left: updates.length + syncs.length, logged };
}

describe('a site that is called again', () => {
  it('has as many tries as its hindrance allows, each kind counted apart', async () => {
    const { result, left } = await perform([busy, busy, unreachable, busy, unreachable, updated]);
    expect([result.status, left]).toEqual(['succeeded', 0]);
  });

  it('is given up when one kind is used up', async () => {
    const { result, left } = await perform([unreachable, busy, unreachable, unreachable, updated]);
    expect([result.status, result.code, left]).toEqual(['failed', 'site_unreachable', 1]);
  });

  it('is asked what became of a lost call for as long as it is busy, whatever else happens once', async () => {
    const { result, left } = await perform([lost], [busy, busy, unreachable, busy, synced]);
    expect([result.status, left]).toEqual(['succeeded', 0]);
  });

  it('is asked again when it answers without a report, and then given up', async () => {
    const { result, left } = await perform([lost], [synced, synced, synced], { reports: 0 });
    expect([result.status, result.code, left]).toEqual(['unknown', 'site_unreachable', 1]);
    expect(result.error).toContain('has not reported');
  });

  it('is asked less often about a single action', async () => {
    const faulty = await perform([lost], [unreachable, synced], { asked: deletion });
    expect([faulty.result.status, faulty.left]).toEqual(['unknown', 1]);
    expect(faulty.result.error).toMatch(/sync it to see\.$/);
    const stillBusy = await perform([lost], [busy, busy, synced], { asked: deletion });
    expect([stillBusy.result.status, stillBusy.left]).toEqual(['unknown', 1]);
    const done = await perform([lost], [busy, synced], { asked: deletion });
    expect(done.result).toMatchObject({ status: 'succeeded', code: null });
  });

  it('is asked what it has done for a worker that is gone', async () => {
    const left = { status: 'unknown' } as const;
    const done = await perform([], [synced], { asked: { ...deletion, ...left } });
    expect(done.result.status).toBe('succeeded');
    const request = { ...deletion.request, action: 'activate' };
    const not = await perform([], [synced], { asked: { ...deletion, ...left, request } });
    expect(not.result.error).toBe(
      'The panel was stopped before the site had answered. The site was asked afterwards what it has: the plugin is not there. Try again.',
    );
    const away = await perform([], [unreachable], { asked: { ...deletion, ...left } });
    expect(away.result.error).toBe(
      'The panel was stopped before the site had answered. What was asked may have been done, and the site has not said since what it has: sync it to see.',
    );
  });

  it('is in the log with the reason of each call that did not succeed', async () => {
    const { logged } = await perform([busy, unreachable, updated]);
    expect(logged).toEqual([
      { task: 1, site: 2, code: 'site_busy', reason: null, detail: null, http_status: 409 },
      {
        task: 1,
        site: 2,
        code: 'site_unreachable',
        reason: 'connect',
        detail: 'ECONNREFUSED',
        http_status: null,
      },
    ]);
  });
});

describe('the pauses of a real panel', () => {
  const sum = (seconds: number[]) => seconds.reduce((all, each) => all + each, 0);
  const minutes = (seconds: number[]) => Math.round(sum(seconds) / 60);

  it('leave three tries to connect, with growing pauses', () => {
    expect(PAUSES.connect).toEqual([1, 3]);
  });

  it('have a minute for a site that is busy before anything is begun', () => {
    expect(PAUSES.busy).toEqual([1, 2, 5, 10, 20, 30]);
  });

  it('give a site the time of an update to say what became of it, if it says that it is busy', () => {
    expect(PAUSES.settle.faulty).toEqual([1, 3, 10, 30, 60]);
    expect(minutes(PAUSES.settle.busy)).toBe(15);
  });

  it('are shorter for a single action: somebody waits', () => {
    expect(PAUSES.settleAction.faulty).toEqual([1, 3, 10]);
    expect(minutes(PAUSES.settleAction.busy)).toBe(5);
  });
});
