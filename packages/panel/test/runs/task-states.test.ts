import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { describe, expect, it } from 'vitest';
import type { TaskResult } from '../../src/features/runs/outcome/task-outcome.ts';
import { lockRuns } from '../../src/features/runs/runs.repository.ts';
import { cancelUncalledTasks } from '../../src/features/runs/worker/save-results.ts';
import {
  beginNextAttempt,
  endTasks,
  type OpenTask,
  readOpenTasks,
  recordDispatches,
} from '../../src/features/runs/worker/tasks.repository.ts';
import type { Trx } from '../../src/platform/database/tables.ts';

/** The state machine of docs/architecture.md, each state with each event, on the database. */

const scene = useRunScene({}, { works: false });

const LOST = { http_status: null, code: 'site_timeout', error: 'It was slow.' };
const DONE: TaskResult = {
  status: 'succeeded',
  http_status: 200,
  code: null,
  error: null,
  details: null,
  sent: true,
};

type Event = (trx: Trx, task: OpenTask) => Promise<unknown>;
const now = () => scene.panel.edges.now;

const EVENTS = {
  dispatched: (trx, task) => {
    const reconciles = task.called_at !== null;
    return recordDispatches(trx, [{ task, address: '192.0.2.1', reconciles }], now());
  },
  'not called': (trx, task) => beginNextAttempt(trx, ofTask(task), 'not_called'),
  lost: (trx, task) => beginNextAttempt(trx, ofTask(task), LOST),
  recovered: (trx, task) => beginNextAttempt(trx, ofTask(task), 'unchanged'),
  answered: (trx, task) => endTasks(trx, [{ ...task, ...DONE }], now()),
  cancelled: async (trx, task) => {
    const [run] = await lockRuns(trx, [task.run_id]);
    if (!run) throw new Error('There is no such run.');
    const { audit } = scene.panel.services;
    const queue = { cancel: async () => {} };
    await cancelUncalledTasks(trx, run, { origin: OPERATOR }, { audit, queue, clock: { now } });
  },
} satisfies Record<string, Event>;
type EventName = keyof typeof EVENTS;

const ofTask = ({ id, attempt }: OpenTask) => ({ taskId: id, attempt });

/** What has to happen for a task to come into the state. */
const STATES = {
  queued: [],
  dispatched: ['dispatched'],
  unknown: ['dispatched', 'lost'],
  reconciling: ['dispatched', 'lost', 'dispatched'],
  succeeded: ['dispatched', 'answered'],
  cancelled: ['cancelled'],
} satisfies Record<string, EventName[]>;
type StateName = keyof typeof STATES;

async function newTask(state: StateName) {
  const site = await scene.newSite();
  const runId = await scene.startUpdate([site.id]);
  const { id } = await scene.task(runId, site.id);
  let last: OpenTask | undefined;
  /** With the task as it was read before, if it has ended: so does a worker that comes late. */
  const happen = (event: EventName, stale?: OpenTask) =>
    scene.panel.db.transaction().execute(async (trx) => {
      await lockRuns(trx, [runId]);
      const [task] = await readOpenTasks(trx, [{ taskId: id, address: '192.0.2.1' }]);
      last = task ?? last;
      const affected = stale ?? last;
      if (affected) await EVENTS[event](trx, affected);
    });
  for (const event of STATES[state]) await happen(event);
  return { happen, stateNow: () => stateOf(id), stale: () => last };
}

/** As the table of the documentation names it; and whether the site is the task's. */
async function stateOf(id: number): Promise<[string, 'site held' | 'site free']> {
  const { db } = scene.panel;
  const task = await db
    .selectFrom('run_tasks')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const calls = db.selectFrom('site_calls').selectAll().where('task_id', '=', id);
  const mine = await calls.executeTakeFirst();
  const names: Record<string, string> = {
    running: 'dispatched',
    unknown: mine?.address ? 'reconciling' : 'unknown',
  };
  const isTrue = (task.called_at !== null) === !['queued', 'cancelled'].includes(task.status);
  expect(isTrue).toBe(true);
  return [names[task.status] ?? task.status, mine ? 'site held' : 'site free'];
}

const TABLE: [StateName, Partial<Record<EventName, [string, 'site held' | 'site free']>>][] = [
  [
    'queued',
    {
      dispatched: ['dispatched', 'site held'],
      recovered: ['queued', 'site free'],
      cancelled: ['cancelled', 'site free'],
    },
  ],
  [
    'dispatched',
    {
      'not called': ['queued', 'site free'],
      lost: ['unknown', 'site held'],
      recovered: ['unknown', 'site held'],
      dispatched: ['reconciling', 'site held'],
      cancelled: ['dispatched', 'site held'],
    },
  ],
  [
    'unknown',
    {
      dispatched: ['reconciling', 'site held'],
      recovered: ['unknown', 'site held'],
      cancelled: ['unknown', 'site held'],
    },
  ],
  [
    'reconciling',
    {
      lost: ['unknown', 'site held'],
      recovered: ['unknown', 'site held'],
      cancelled: ['reconciling', 'site held'],
    },
  ],
];

describe.each(TABLE)('a task that is %s', (state, transitions) => {
  it.each(Object.entries(transitions))('and is %s', async (event, expected) => {
    const task = await newTask(state);
    await task.happen(event as EventName);
    expect(await task.stateNow()).toEqual(expected);
  });
});

describe.each(['succeeded', 'cancelled'] as const)('a task that has ended as %s', (state) => {
  it.each(['not called', 'lost', 'recovered', 'answered', 'cancelled'] as const)(
    'stays so when it is %s',
    async (event) => {
      const task = await newTask(state);
      const before = await task.stateNow();
      await task.happen(event);
      expect(await task.stateNow()).toEqual(before);
      expect(before[0]).toBe(state);
    },
  );
});

describe('a worker that was replaced', () => {
  it.each(['not called', 'lost', 'recovered', 'answered'] as const)(
    'changes nothing when its call is %s',
    async (event) => {
      const task = await newTask('dispatched');
      const stale = task.stale();
      const asItWas = stale && { ...stale, called_at: new Date() };
      await task.happen('recovered');
      const before = await task.stateNow();
      await task.happen(event, asItWas);
      expect(await task.stateNow()).toEqual(before);
    },
  );
});
