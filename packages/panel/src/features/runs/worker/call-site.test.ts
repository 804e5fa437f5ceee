import type { SignalObservation } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import type { SiteClient, SiteOutcome } from '../../../site-client/index.ts';
import { callSite, DELAYS, type Step } from './call-site.ts';
import type { DispatchedCall } from './dispatch.ts';

const busy = {
  kind: 'refused',
  httpStatus: 409,
  code: 'site_busy',
  error: 'Busy.',
} as const satisfies SiteOutcome<never>;
const maintenance = { ...busy, kind: 'busy', httpStatus: 503, reason: 'maintenance' } as const;
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
const tooLarge = { ...lost, reason: 'too_large', httpStatus: 200 } as const;
const proxy = { ...lost, reason: 'http_status', httpStatus: 503 } as const;
const unsafe = { ...unreachable, reason: 'tls', code: 'site_tls_error' } as const;
const stopped = { ...unreachable, reason: 'stopped', code: 'unavailable' } as const;
const updated = {
  kind: 'answered',
  httpStatus: 200,
  body: { success: true, results: { plugins: [], themes: [], core: null }, errors: [] },
} as const;
const synced = { kind: 'answered', httpStatus: 200, body: { success: true } } as const;

const EMPTY_INVENTORY = { plugins: [], themes: [], core: { version: '6.0' } };
const LAST_REPORT = new Date('2026-06-01T00:00:00Z');
const NEW_REPORT = new Date('2026-06-01T00:01:00Z');
const timeouts = { connectSeconds: 10, actionSeconds: 300, updateSeconds: 900 };

type Case = {
  kind?: 'update' | 'plugin_action' | 'sync';
  action?: string;
  reconciles?: boolean;
  tries?: { [cause: string]: number };
  sinceCall?: number;
  sinceLoss?: number;
  code?: string | null;
  hasReported?: boolean;
  homePage?: SignalObservation;
};

const LOADED: SignalObservation = {
  http_status: 200,
  bytes: 100,
  has_fatal_error: false,
  is_complete: true,
  obstacle: null,
  error: null,
};
const UNREACHABLE = { ...LOADED, http_status: null, error: 'site_unreachable' } as const;

async function step(outcome: object, given: Case = {}) {
  const { kind = 'update', reconciles = false, code = 'site_timeout', hasReported = true } = given;
  const calls: string[] = [];
  const seconds: (number | undefined)[] = [];
  const respond = (name: string) => async (_target: object, options: { seconds?: number }) => {
    calls.push(name);
    seconds.push(options.seconds);
    return outcome;
  };
  const siteClient = {
    bulkUpdate: respond('update'),
    pluginAction: respond('plugin-action'),
    sync: respond('sync'),
    observePage: async () => given.homePage ?? LOADED,
  } as unknown as SiteClient;
  const call = {
    task: {
      id: 1,
      site_id: 2,
      kind,
      request: { action: given.action ?? 'delete', plugin: 'shop/shop.php' },
      url: 'https://a.example',
      endpoint_url: null,
      license_key_encrypted: Buffer.of(),
      site_key_encrypted: null,
      inventory_at: LAST_REPORT,
      http_status: null,
      code,
      error: code && 'It was slow.',
    },
    reconciles,
    tries: given.tries ?? {},
    sinceCall: given.sinceCall ?? 0,
    sinceLoss: given.sinceLoss ?? 0,
  } as unknown as DispatchedCall;
  const logged: object[] = [];
  const result = await callSite(call, {
    siteClient,
    packages: { createInstallItems: async () => [] },
    secrets: { decrypt: () => 'key' },
    prove: async () => null,
    readLastReport: async () => ({
      inventory: EMPTY_INVENTORY,
      inventory_at: hasReported ? NEW_REPORT : LAST_REPORT,
    }),
    readInventoryBefore: async () => EMPTY_INVENTORY,
    timeouts,
    delays: DELAYS,
    signal: new AbortController().signal,
    log: { info: (fields: object) => void logged.push(fields) },
  });
  return { step: result, calls, seconds, logged };
}

const summarize = (given: Step) =>
  given.kind === 'end'
    ? given.result.status
    : [
        typeof given.callState === 'string' ? given.callState : 'lost',
        given.afterSeconds,
        given.tries,
      ];

describe('the step after a call', () => {
  const action = { kind: 'plugin_action' } as const;
  const sync = { kind: 'sync' } as const;
  it.each<[string, object, Case, unknown]>([
    ['a valid response', updated, {}, 'succeeded'],
    ['no connection', unreachable, {}, ['not_called', 1, { connect: 1 }]],
    [
      'no second connection',
      unreachable,
      { tries: { connect: 1 } },
      ['not_called', 3, { connect: 2 }],
    ],
    ['no third connection', unreachable, { tries: { connect: 2 } }, 'failed'],
    [
      'no connection after a busy site',
      unreachable,
      { tries: { busy: 5 } },
      ['not_called', 1, { busy: 5, connect: 1 }],
    ],
    ['a busy site', busy, {}, ['not_called', 1, { busy: 1 }]],
    [
      'a site that is busy for a minute',
      busy,
      { tries: { busy: 5 } },
      ['not_called', 30, { busy: 6 }],
    ],
    ['a site that is busy for longer', busy, { tries: { busy: 6 } }, 'failed'],
    ['maintenance', maintenance, action, ['not_called', 1, { busy: 1 }]],
    ['a busy site while a user waits', busy, action, 'failed'],
    ['an invalid certificate', unsafe, {}, 'failed'],
    ['a lost response', lost, {}, ['lost', 1, {}]],
    ['the 503 of a proxy', proxy, {}, ['lost', 1, {}]],
    ['a response that is too large', tooLarge, {}, ['lost', 1, {}]],
    ['a response to a sync that is too large', tooLarge, sync, 'failed'],
    ['a lost response to an action', lost, action, ['lost', 1, {}]],
    ['a stop before the request was sent', stopped, {}, ['not_called', 0, {}]],
    ['a stop after the request was sent', { ...stopped, sent: true }, {}, ['lost', 0, {}]],
    ['a lost response to a sync', lost, sync, ['not_called', 1, { connect: 1 }]],
    ['the 503 of a proxy to a sync', proxy, sync, ['not_called', 1, { busy: 1 }]],
    ['a stop during a sync', { ...stopped, sent: true }, sync, ['not_called', 0, {}]],
    ['a sync without retries left', lost, { ...sync, tries: { connect: 2 } }, 'failed'],
  ])('with %s', async (_what, outcome, given, expected) => {
    expect(summarize((await step(outcome, given)).step)).toEqual(expected);
  });
});

describe('the step after a reconcile call', () => {
  const reconciles = true;
  const action = { kind: 'plugin_action', reconciles } as const;
  it.each<[string, object, Case, unknown]>([
    ['a report', synced, {}, 'succeeded'],
    ['a report after an action', synced, action, 'succeeded'],
    ['a response without a report', synced, { hasReported: false }, ['lost', 3, { syncs: 1 }]],
    ['no connection', unreachable, {}, ['lost', 3, { syncs: 1 }]],
    ['a response that is too large', tooLarge, {}, ['lost', 3, { syncs: 1 }]],
    [
      'no connection for a long time',
      unreachable,
      { tries: { syncs: 9 } },
      ['lost', 15, { syncs: 10 }],
    ],
    ['no connection for two minutes', unreachable, { sinceLoss: 119 }, 'unknown'],
    ['no report for two minutes', synced, { hasReported: false, sinceLoss: 119 }, 'unknown'],
    ['no connection after an action', unreachable, { ...action, sinceLoss: 29 }, 'unknown'],
    [
      'a site that is still working',
      busy,
      { sinceLoss: 600, sinceCall: 900 },
      ['lost', 3, { syncs: 1 }],
    ],
    ['a 503 of a proxy', proxy, { sinceLoss: 600, sinceCall: 900 }, ['lost', 3, { syncs: 1 }]],
    ['a site still working two minutes after its timeout', busy, { sinceCall: 1019 }, 'unknown'],
    [
      'an action still working 30 seconds after its timeout',
      busy,
      { ...action, sinceCall: 329 },
      'unknown',
    ],
    ['a stop', stopped, { tries: { syncs: 1 } }, ['lost', 0, { syncs: 2 }]],
  ])('with %s', async (_what, outcome, given, expected) => {
    const { step: next, calls } = await step(outcome, { reconciles, ...given });
    expect([summarize(next), calls]).toEqual([expected, ['sync']]);
  });

  for (const homePage of [UNREACHABLE, { ...LOADED, has_fatal_error: true }]) {
    it(`is unverified if the home page is ${homePage.error ? 'unreachable' : 'broken'}`, async () => {
      const { step: next } = await step(synced, { reconciles, homePage });
      expect(next).toMatchObject({ kind: 'end', result: { status: 'unverified' } });
    });
  }

  it('ends at once if the site is down', async () => {
    const down = { ...proxy, httpStatus: 500 };
    const { step: next } = await step(down, { reconciles, sinceLoss: 1 });
    expect(next).toMatchObject({ kind: 'end', result: { status: 'unknown', code: 'site_down' } });
  });

  it('limits its timeout to the time left to reconcile', async () => {
    const tries = { syncs: 1 };
    expect((await step(synced, { reconciles, tries, sinceLoss: 100 })).seconds).toEqual([20]);
    expect((await step(synced, { reconciles, sinceLoss: 500 })).seconds).toEqual([30]);
  });

  it('reports the error that lost the response and the result of the check', async () => {
    const given = { ...action, action: 'activate', code: null };
    const { step: next } = await step(synced, given);
    expect(next).toHaveProperty(
      'result.error',
      'Steward stopped before the site responded. Steward checked the site: the plugin is not installed. Try again.',
    );
    const { step: unreached } = await step(unreachable, { reconciles, sinceLoss: 120 });
    expect(unreached).toHaveProperty(
      'result.error',
      'It was slow. The site may have changed, and it has not reported since. Sync it to check.',
    );
    const { step: unreported } = await step(synced, {
      reconciles,
      hasReported: false,
      sinceLoss: 120,
    });
    expect(unreported).toHaveProperty('result.error', expect.stringContaining('has not reported'));
  });
});

describe('the log', () => {
  it('contains the reason of each failed call', async () => {
    const { logged } = await step(unreachable);
    const reason = { reason: 'connect', detail: 'ECONNREFUSED', http_status: null };
    expect(logged).toEqual([{ task: 1, site: 2, code: 'site_unreachable', ...reason }]);
    const unreported = await step(synced, { reconciles: true, hasReported: false });
    expect(unreported.logged).toEqual([{ task: 1, site: 2 }]);
  });
});
