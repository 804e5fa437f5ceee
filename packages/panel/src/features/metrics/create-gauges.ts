import { RUN_KINDS } from '@steward/contract';
import type pg from 'pg';
import { Gauge, type Registry } from 'prom-client';
import packageJson from '../../../package.json' with { type: 'json' };
import type { LoadMonitor } from '../../platform/load-monitor.ts';
import type { DatabaseState } from './database-state.repository.ts';

type ProcessFacts = { pool: pg.Pool; load: LoadMonitor; role: string };

/** Registers the gauges of this process. */
export function addProcessGauges(registry: Registry, { pool, load, role }: ProcessFacts): void {
  const addGauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  addGauge(
    'steward_database_pool_connections',
    'Open connections to the database',
    () => pool.totalCount,
  );
  addGauge(
    'steward_database_pool_idle_connections',
    'Open connections to the database that are idle',
    () => pool.idleCount,
  );
  addGauge(
    'steward_database_pool_waiting_requests',
    'Queries that wait for a connection to the database',
    () => pool.waitingCount,
  );
  addGauge(
    'steward_event_loop_utilization',
    'Share of the last second in which the event loop was busy: 0 is idle, 1 is saturated',
    () => load.utilization(),
  );
  const build = new Gauge({
    name: 'steward_build_info',
    help: 'Always 1. The labels contain the version and the role of the process',
    labelNames: ['version', 'node_version', 'role'],
    registers: [registry],
  });
  build.set({ version: packageJson.version, node_version: process.version, role }, 1);
}

/** Open statuses of a task. The metrics contain all of them, also with the value 0. */
const OPEN_STATUSES = ['queued', 'running', 'unknown'];

/** Registers the gauges of the whole panel. `show(null)` removes their values: old ones would be wrong. */
export function addPanelGauges(registry: Registry) {
  const create = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const createShared = (name: string, help: string, labelNames?: string[]) =>
    create(name, `${help}. The same in every process`, labelNames);
  const up = create(
    'steward_database_up',
    '1 if the database responded to this process in time, otherwise 0',
  );
  const runs = createShared('steward_runs_running', 'Runs that have not finished', ['kind']);
  const tasks = createShared('steward_tasks', 'Tasks that have not ended, by status', ['status']);
  const waiting = createShared('steward_queue_waiting_tasks', 'Tasks that wait for a worker');
  const age = createShared(
    'steward_queue_oldest_waiting_seconds',
    'Age of the task that has waited longest for a worker; 0 if none waits',
  );
  const jobs = createShared('steward_queue_jobs', 'Jobs of pg-boss', ['queue', 'state']);

  return {
    show(state: DatabaseState | null, now: Date): void {
      for (const gauge of [runs, tasks, jobs]) gauge.reset();
      // `reset` would set a gauge without labels to 0.
      for (const gauge of [waiting, age]) gauge.remove();
      up.set(state ? 1 : 0);
      if (!state) return;
      for (const kind of RUN_KINDS) runs.set({ kind }, 0);
      for (const row of state.runs) runs.set({ kind: row.kind }, row.runs);
      for (const status of OPEN_STATUSES) tasks.set({ status }, 0);
      for (const row of state.tasks) tasks.set({ status: row.status }, row.tasks);
      const queued = state.tasks.find(({ status }) => status === 'queued');
      waiting.set(queued?.waiting ?? 0);
      const since = queued?.waiting_since ?? now;
      age.set(Math.max(0, (now.getTime() - since.getTime()) / 1000));
      for (const row of state.jobs) jobs.set({ queue: row.queue, state: row.state }, row.jobs);
    },
  };
}
