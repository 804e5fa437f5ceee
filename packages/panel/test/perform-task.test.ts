import { describe, expect, it } from 'vitest';
import type { TaskToDo } from '../src/features/runs/tasks.repository.ts';
import { type Pauses, performTask } from '../src/features/runs/worker/perform-task.ts';
import type { SiteClient, SiteOutcome } from '../src/lib/site-client/index.ts';

/** How often a site is called, and when the panel gives up. */

const pauses: Pauses = { connect: [0, 0], busy: [0, 0, 0], settle: [0], settleBusy: [0, 0, 0] };

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

const task = { id: 1, site_id: 2, kind: 'update', status: 'running', request: {} } as TaskToDo;
const site = { url: 'https://a.example', endpoint_url: null, license_key_encrypted: Buffer.of() };

async function perform(updates: object[], syncs: object[] = []) {
  const logged: object[] = [];
  const next = (answers: object[]) => async () => {
    const answer = answers.shift();
    if (!answer) throw new Error('The site was called once too often.');
    return answer;
  };
  const siteClient = { bulkUpdate: next(updates), sync: next(syncs) } as unknown as SiteClient;
  const result = await performTask(task, {
    siteClient,
    secrets: { decrypt: () => 'key' },
    signal: new AbortController().signal,
    withSlot: (call) => call(site),
    markUnknown: async () => {},
    readInventory: async () => null,
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
    const { left } = await perform([lost], [busy, busy, unreachable, busy, synced]);
    expect(left).toBe(0);
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
