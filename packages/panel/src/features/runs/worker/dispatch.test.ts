import { describe, expect, it } from 'vitest';
import type { FetchedCallJob } from '../jobs.ts';
import { decide } from './dispatch.ts';
import type { OpenTask } from './tasks.repository.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

const task = {
  id: 1,
  site_id: 10,
  attempt: 2,
  status: 'queued',
  kind: 'update',
  dispatched_at: null,
  lost_at: null,
  window_opens_at: null,
  window_closes_at: null,
  schedule_id: 7,
  since_call: 0,
  since_loss: 0,
  activation_status: 'active',
  license_status: 'active',
  expires_at: null,
  key_ends_at: null,
};
const job = { data: { taskId: 1, attempt: 2 } };

type Given = {
  task?: object | null;
};

const kindOf = ({ task: changes = {} }: Given) => {
  const open = changes && ({ ...task, ...changes } as unknown as OpenTask);
  const decision = decide(job as unknown as FetchedCallJob, open ?? undefined, { now: NOW });
  if (decision.kind === 'end') return [decision.result.status, decision.result.code];
  return decision.kind === 'call' && decision.reconciles ? 'reconcile' : decision.kind;
};

const NOT_ACTIVE = ['refused', 'site_not_active'];

describe('decide', () => {
  it.each<[string, Given, unknown]>([
    ['calls the site', {}, 'call'],
    [
      'calls a site within its window',
      { task: { window_opens_at: ago(60), window_closes_at: ago(-60) } },
      'call',
    ],
    [
      'waits for the window of the site',
      { task: { window_opens_at: ago(-60), window_closes_at: ago(-120) } },
      'wait',
    ],
    [
      'waits after the window has closed',
      { task: { window_opens_at: ago(120), window_closes_at: ago(60) } },
      'wait',
    ],
    [
      'ends after the window has closed if its schedule was deleted',
      { task: { window_opens_at: ago(120), window_closes_at: ago(60), schedule_id: null } },
      ['cancelled', null],
    ],
    [
      'reconciles a call that may have reached the site',
      { task: { dispatched_at: ago(60) } },
      'reconcile',
    ],
    ['repeats a lost sync', { task: { dispatched_at: ago(60), kind: 'sync' } }, 'call'],
    ['drops the job of an ended task', { task: null }, 'drop'],
    ['drops the job of another attempt', { task: { attempt: 3 } }, 'drop'],
    [
      'does not dispatch an attempt twice',
      { task: { status: 'running', dispatched_at: ago(1) } },
      'recover',
    ],
    ['ends without a site', { task: { activation_status: null } }, NOT_ACTIVE],
    ['ends without an activation', { task: { activation_status: 'inactive' } }, NOT_ACTIVE],
    ['ends with a revoked license', { task: { license_status: 'revoked' } }, NOT_ACTIVE],
    ['ends with an expired license', { task: { expires_at: ago(1) } }, NOT_ACTIVE],
    ['calls a site whose old key is still valid', { task: { key_ends_at: ago(-1) } }, 'call'],
    ['ends with an expired old key', { task: { key_ends_at: ago(0) } }, NOT_ACTIVE],
    ['updates everything on any site', { task: { items: null, capabilities: null } }, 'call'],
    [
      'ends an update of single items on an old site',
      { task: { items: [], capabilities: ['install'] } },
      ['refused', 'items_unsupported'],
    ],
    [
      'ends an installation without signed calls',
      { task: { kind: 'install', items: [], capabilities: ['install'] } },
      ['refused', 'signed_calls_required'],
    ],
    ...(['install', 'restore', 'self_update'] as const).flatMap(
      (kind): [string, Given, unknown][] => [
        [
          `ends ${kind} on an old site`,
          { task: { kind, capabilities: ['update.items', 'signed_calls'] } },
          ['refused', 'site_plugin_outdated'],
        ],
        [`calls for ${kind}`, { task: { kind, capabilities: [kind, 'signed_calls'] } }, 'call'],
        [
          `reconciles a lost ${kind} on any site`,
          { task: { kind, capabilities: [], dispatched_at: ago(60) } },
          'reconcile',
        ],
      ],
    ),
    [
      'does not reconcile with a suspended license',
      { task: { dispatched_at: ago(60), license_status: 'suspended' } },
      ['unknown', 'site_not_active'],
    ],
  ])('%s', (_what, given, expected) => {
    expect(kindOf(given)).toEqual(expected);
  });
});
