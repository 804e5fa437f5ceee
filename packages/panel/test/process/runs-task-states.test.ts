import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import type { TestTrx } from '@steward/testkit/postgres/show-tables.ts';
import { describe, expect, it } from 'vitest';
import { cancelQueuedTasks } from '../../src/features/runs/cancel-runs.ts';
import type { TaskResult } from '../../src/features/runs/outcome/task-outcome.ts';
import { lockRuns } from '../../src/features/runs/runs.repository.ts';
import { type OpenStatus, TASK_TRANSITIONS } from '../../src/features/runs/task-states.ts';
import { claimSites } from '../../src/features/runs/worker/site-calls.repository.ts';
import {
  beginNextAttempt,
  endTasks,
  type OpenTask,
  readOpenTasks,
  recordDispatches,
} from '../../src/features/runs/worker/tasks.repository.ts';

/** Tests the state machine of docs/architecture.md: each state with each event, on the database. */

const fixture = useRunFixture({}, { startsWorker: false });

const LOST = { http_status: null, code: 'site_timeout', error: 'It was slow.' };
const DONE: TaskResult = {
  status: 'succeeded',
  http_status: 200,
  code: null,
  error: null,
  details: null,
  sent: true,
};

type Event = (trx: TestTrx, task: OpenTask) => Promise<unknown>;
const now = () => fixture.panel.fakes.now;

/** All tasks of this file share the address. */
const admitTask = (trx: TestTrx, { id }: OpenTask) =>
  claimSites(trx, [{ taskId: id, address: '192.0.2.1' }], 100);

const EVENTS = {
  admitted: admitTask,
  dispatched: async (trx, task) => {
    await admitTask(trx, task);
    const reconciles = task.dispatched_at !== null;
    await recordDispatches(trx, [{ task, reconciles }], now());
  },
  'not called': (trx, task) => beginNextAttempt(trx, ofTask(task), 'not_called'),
  lost: (trx, task) => beginNextAttempt(trx, ofTask(task), LOST),
  recovered: (trx, task) => beginNextAttempt(trx, ofTask(task), 'unchanged'),
  responded: (trx, task) => endTasks(trx, [{ ...task, ...DONE }], now()),
  cancelled: async (trx, task) => {
    const [run] = await lockRuns(trx, [task.run_id]);
    if (!run) throw new Error('Run not found.');
    const { audit } = fixture.panel.services;
    await cancelQueuedTasks(trx, run, { origin: OPERATOR }, { audit, clock: { now } });
  },
} satisfies Record<string, Event>;
type EventName = keyof typeof EVENTS;

const ofTask = ({ id, attempt }: OpenTask) => ({ taskId: id, attempt });

/** The events that lead to each state. */
const STATES = {
  queued: [],
  admitted: ['admitted'],
  dispatched: ['dispatched'],
  unknown: ['dispatched', 'lost'],
  reconciling: ['dispatched', 'lost', 'dispatched'],
  succeeded: ['dispatched', 'responded'],
  cancelled: ['cancelled'],
} satisfies Record<string, EventName[]>;
type StateName = keyof typeof STATES;

async function newTask(state: StateName) {
  const site = await fixture.newSite();
  const runId = await fixture.startUpdate([site.id]);
  const { id } = await fixture.task(runId, site.id);
  let last: OpenTask | undefined;
  /** Uses the task as read before if it has ended, as a late worker does. */
  const apply = async (event: EventName, stale?: OpenTask) => {
    const before = await fixture.task(runId, site.id);
    await fixture.panel.db.transaction().execute(async (trx) => {
      await lockRuns(trx, [runId]);
      const [task] = await readOpenTasks(trx, [id]);
      last = task ?? last;
      const affected = stale ?? last;
      if (affected) await EVENTS[event](trx, affected);
    });
    expectAllowed(before, await fixture.task(runId, site.id));
  };
  for (const event of STATES[state]) await apply(event);
  return { apply, stateNow: () => stateOf(id), stale: () => last };
}

type Task = Awaited<ReturnType<typeof fixture.task>>;

/** Every change of a status must be in the table of the state machine. */
function expectAllowed(before: Task, after: Task): void {
  const isUnchanged = before.status === after.status && !before.finished_at === !after.finished_at;
  if (isUnchanged) return;
  expect(before.finished_at).toBeNull();
  const { open, ended } = TASK_TRANSITIONS[before.status as OpenStatus];
  expect(after.finished_at ? ended : open).toContain(after.status);
}

/** The state name from the documentation, and whether the task blocks the site. */
async function stateOf(id: number): Promise<[string, 'site blocked' | 'site free']> {
  const { db } = fixture.panel;
  const task = await db
    .selectFrom('run_tasks')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const calls = db.selectFrom('site_calls').selectAll().where('task_id', '=', id);
  const call = await calls.executeTakeFirst();
  const names: Record<string, string> = {
    running: 'dispatched',
    unknown: call?.address ? 'reconciling' : 'unknown',
  };
  const isConsistent =
    (task.dispatched_at !== null) === !['queued', 'cancelled'].includes(task.status);
  expect(isConsistent).toBe(true);
  return [names[task.status] ?? task.status, call ? 'site blocked' : 'site free'];
}

const TABLE: [StateName, Partial<Record<EventName, [string, 'site blocked' | 'site free']>>][] = [
  [
    'queued',
    {
      admitted: ['queued', 'site blocked'],
      dispatched: ['dispatched', 'site blocked'],
      recovered: ['queued', 'site free'],
      cancelled: ['cancelled', 'site free'],
    },
  ],
  [
    'admitted',
    {
      dispatched: ['dispatched', 'site blocked'],
      'not called': ['queued', 'site free'],
      recovered: ['queued', 'site free'],
      cancelled: ['cancelled', 'site free'],
    },
  ],
  [
    'dispatched',
    {
      'not called': ['queued', 'site free'],
      lost: ['unknown', 'site blocked'],
      recovered: ['unknown', 'site blocked'],
      dispatched: ['reconciling', 'site blocked'],
      cancelled: ['dispatched', 'site blocked'],
    },
  ],
  [
    'unknown',
    {
      dispatched: ['reconciling', 'site blocked'],
      recovered: ['unknown', 'site blocked'],
      cancelled: ['unknown', 'site blocked'],
    },
  ],
  [
    'reconciling',
    {
      lost: ['unknown', 'site blocked'],
      recovered: ['unknown', 'site blocked'],
      cancelled: ['reconciling', 'site blocked'],
    },
  ],
];

describe.each(TABLE)('a %s task', (state, transitions) => {
  it.each(Object.entries(transitions))('on event: %s', async (event, expected) => {
    const task = await newTask(state);
    await task.apply(event as EventName);
    expect(await task.stateNow()).toEqual(expected);
  });
});

describe.each(['succeeded', 'cancelled'] as const)('a %s task', (state) => {
  it.each(['not called', 'lost', 'recovered', 'responded', 'cancelled'] as const)(
    'ignores event: %s',
    async (event) => {
      const task = await newTask(state);
      const before = await task.stateNow();
      await task.apply(event);
      expect(await task.stateNow()).toEqual(before);
      expect(before[0]).toBe(state);
    },
  );
});

describe('a worker whose task was taken over', () => {
  it.each(['not called', 'lost', 'recovered', 'responded'] as const)(
    'changes nothing on event: %s',
    async (event) => {
      const task = await newTask('dispatched');
      const stale = task.stale();
      const outdated = stale && { ...stale, dispatched_at: new Date() };
      await task.apply('recovered');
      const before = await task.stateNow();
      await task.apply(event, outdated);
      expect(await task.stateNow()).toEqual(before);
    },
  );
});
