import { describe, expect, it } from 'vitest';
import type { SiteClient, SiteLook, SiteOutcome } from '../../../site-client/index.ts';
import { callSite, PAUSES, type Step } from './call-site.ts';
import type { DispatchedCall } from './dispatch.ts';

/** What follows from one call. */

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

const HAS_NOTHING = { plugins: [], themes: [], core: { version: '6.0' } };
const LAST_REPORT = new Date('2026-06-01T00:00:00Z');
const NEW_REPORT = new Date('2026-06-01T00:01:00Z');
const timeouts = { connectSeconds: 10, actionSeconds: 300, updateSeconds: 900 };

type Case = {
  kind?: 'update' | 'plugin_action' | 'sync';
  action?: string;
  reconciles?: boolean;
  tries?: { [hindrance: string]: number };
  sinceCall?: number;
  sinceLoss?: number;
  code?: string | null;
  reported?: boolean;
  look?: SiteLook;
};

const SEEN: SiteLook = { kind: 'seen', httpStatus: 200, isBroken: false, isWhole: true };

async function step(outcome: object, given: Case = {}) {
  const { kind = 'update', reconciles = false, code = 'site_timeout', reported = true } = given;
  const calls: string[] = [];
  const seconds: (number | undefined)[] = [];
  const answer = (name: string) => async (_target: object, options: { seconds?: number }) => {
    calls.push(name);
    seconds.push(options.seconds);
    return outcome;
  };
  const siteClient = {
    bulkUpdate: answer('update'),
    pluginAction: answer('plugin-action'),
    sync: answer('sync'),
    look: async () => given.look ?? SEEN,
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
    secrets: { decrypt: () => 'key' },
    prove: async () => null,
    lastReportOf: async () => ({
      inventory: HAS_NOTHING,
      inventory_at: reported ? NEW_REPORT : LAST_REPORT,
    }),
    pendingBefore: async () => HAS_NOTHING,
    timeouts,
    pauses: PAUSES,
    signal: new AbortController().signal,
    log: { info: (facts: object) => void logged.push(facts) },
  });
  return { step: result, calls, seconds, logged };
}

const short = (given: Step) =>
  given.kind === 'end'
    ? given.result.status
    : [
        typeof given.standing === 'string' ? given.standing : 'lost',
        given.afterSeconds,
        given.tries,
      ];

describe('after a call', () => {
  const action = { kind: 'plugin_action' } as const;
  const sync = { kind: 'sync' } as const;
  it.each<[string, object, Case, unknown]>([
    ['an answer', updated, {}, 'succeeded'],
    ['no connection', unreachable, {}, ['not_called', 1, { connect: 1 }]],
    [
      'no second connection',
      unreachable,
      { tries: { connect: 1 } },
      ['not_called', 3, { connect: 2 }],
    ],
    ['no third connection', unreachable, { tries: { connect: 2 } }, 'failed'],
    [
      'no connection where it was busy before',
      unreachable,
      { tries: { busy: 5 } },
      ['not_called', 1, { busy: 5, connect: 1 }],
    ],
    ['a site that is busy', busy, {}, ['not_called', 1, { busy: 1 }]],
    [
      'a site that is busy for a minute',
      busy,
      { tries: { busy: 5 } },
      ['not_called', 30, { busy: 6 }],
    ],
    ['a site that is busy for longer', busy, { tries: { busy: 6 } }, 'failed'],
    ['maintenance', maintenance, action, ['not_called', 1, { busy: 1 }]],
    ['a busy site a user waits for', busy, action, 'failed'],
    ['a certificate that is not valid', unsafe, {}, 'failed'],
    ['a lost answer', lost, {}, ['lost', 1, {}]],
    ['the 503 of a proxy', proxy, {}, ['lost', 1, {}]],
    ['an answer that was too large', tooLarge, {}, ['lost', 1, {}]],
    ['one to a sync', tooLarge, sync, 'failed'],
    ['a lost answer to an action', lost, action, ['lost', 1, {}]],
    ['a stop before the request was sent', stopped, {}, ['not_called', 0, {}]],
    ['a stop after it was sent', { ...stopped, sent: true }, {}, ['lost', 0, {}]],
    ['a lost answer to a sync', lost, sync, ['not_called', 1, { connect: 1 }]],
    ['the 503 of a proxy to a sync', proxy, sync, ['not_called', 1, { busy: 1 }]],
    ['a stop in the middle of a sync', { ...stopped, sent: true }, sync, ['not_called', 0, {}]],
    ['a sync that is lost for good', lost, { ...sync, tries: { connect: 2 } }, 'failed'],
  ])('with %s', async (_what, outcome, given, expected) => {
    expect(short((await step(outcome, given)).step)).toEqual(expected);
  });
});

describe('after a site was asked what became of a lost call', () => {
  const reconciles = true;
  const action = { kind: 'plugin_action', reconciles } as const;
  it.each<[string, object, Case, unknown]>([
    ['a report', synced, {}, 'succeeded'],
    ['a report on an action', synced, action, 'succeeded'],
    ['an answer without a report', synced, { reported: false }, ['lost', 3, { asked: 1 }]],
    ['no connection', unreachable, {}, ['lost', 3, { asked: 1 }]],
    ['an answer that was too large', tooLarge, {}, ['lost', 3, { asked: 1 }]],
    ['no connection for long', unreachable, { tries: { asked: 9 } }, ['lost', 15, { asked: 10 }]],
    ['no connection for two minutes', unreachable, { sinceLoss: 119 }, 'unknown'],
    ['no report for two minutes', synced, { reported: false, sinceLoss: 119 }, 'unknown'],
    ['no connection about an action', unreachable, { ...action, sinceLoss: 29 }, 'unknown'],
    ['a site still at work', busy, { sinceLoss: 600, sinceCall: 900 }, ['lost', 3, { asked: 1 }]],
    ['a proxy that says so', proxy, { sinceLoss: 600, sinceCall: 900 }, ['lost', 3, { asked: 1 }]],
    ['a site at work two minutes after its time', busy, { sinceCall: 1019 }, 'unknown'],
    [
      'an action at work half a minute after its time',
      busy,
      { ...action, sinceCall: 329 },
      'unknown',
    ],
    ['a stop', stopped, { tries: { asked: 1 } }, ['lost', 0, { asked: 2 }]],
  ])('with %s', async (_what, outcome, given, expected) => {
    const { step: next, calls } = await step(outcome, { reconciles, ...given });
    expect([short(next), calls]).toEqual([expected, ['sync']]);
  });

  for (const look of [{ kind: 'unseen' }, { ...SEEN, isBroken: true }] as const) {
    it(`is unverified when the home page is ${look.kind === 'unseen' ? 'not seen' : 'broken'}`, async () => {
      const { step: next } = await step(synced, { reconciles, look });
      expect(next).toMatchObject({ kind: 'end', result: { status: 'unverified' } });
    });
  }

  it('is given up at once when the site is down', async () => {
    const down = { ...proxy, httpStatus: 500 };
    const { step: next } = await step(down, { reconciles, sinceLoss: 1 });
    expect(next).toMatchObject({ kind: 'end', result: { status: 'unknown', code: 'site_down' } });
  });

  it('waits for its answer no longer than until it gives up', async () => {
    const tries = { asked: 1 };
    expect((await step(synced, { reconciles, tries, sinceLoss: 100 })).seconds).toEqual([20]);
    expect((await step(synced, { reconciles, sinceLoss: 500 })).seconds).toEqual([30]);
  });

  it('says how the call was lost and what was found', async () => {
    const asked = { ...action, action: 'activate', code: null };
    const { step: next } = await step(synced, asked);
    expect(next).toHaveProperty(
      'result.error',
      'The panel was stopped before the site had answered. The site was asked afterwards what it has: the plugin is not there. Try again.',
    );
    const { step: silent } = await step(unreachable, { reconciles, sinceLoss: 120 });
    expect(silent).toHaveProperty(
      'result.error',
      'It was slow. What was asked may have been done, and the site has not said since what it has: sync it to see.',
    );
    const { step: mute } = await step(synced, { reconciles, reported: false, sinceLoss: 120 });
    expect(mute).toHaveProperty('result.error', expect.stringContaining('has not reported'));
  });
});

describe('the log', () => {
  it('has the reason of each call that did not succeed', async () => {
    const { logged } = await step(unreachable);
    const reason = { reason: 'connect', detail: 'ECONNREFUSED', http_status: null };
    expect(logged).toEqual([{ task: 1, site: 2, code: 'site_unreachable', ...reason }]);
    const silent = await step(synced, { reconciles: true, reported: false });
    expect(silent.logged).toEqual([{ task: 1, site: 2 }]);
  });
});
