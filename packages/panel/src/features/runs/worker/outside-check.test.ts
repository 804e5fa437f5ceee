import type { RunKind, SignalObservation, Verdict } from '@steward/contract';
import { describe, expect, it, vi } from 'vitest';
import type { SiteClient } from '../../../site-client/index.ts';
import { callWithOutsideCheck } from './outside-check.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const target = { siteUrl: 'https://shop.example.com', endpointUrl: null, serviceKey: 'key' };
const item = { slug: 'shop/shop.php', new_version: '2.0', success: true };
const unverified = { ...item, verified: false, old_version: '1.0' };
const verified = { slug: 'other/other.php', new_version: '3.0', success: true };
const response = {
  kind: 'answered' as const,
  httpStatus: 200,
  body: {
    success: true,
    results: { plugins: [unverified, verified], themes: [], core: null },
    errors: [],
    awaiting_verdict: { call: 'the call', ticket: 'the ticket' },
  },
};

const healthy: SignalObservation = {
  http_status: 200,
  bytes: 100,
  has_fatal_error: false,
  is_complete: true,
  obstacle: null,
  error: null,
};
const broken = { ...healthy, http_status: 500, is_complete: false };
const unreachable = { ...broken, http_status: null, error: 'site_unreachable' } as const;
const refused = { ...healthy, http_status: 401, is_complete: false };

/** The pages at each check; `before`: the home page before the call. */
type Checks = {
  before?: SignalObservation;
  home: SignalObservation[];
  endpoint?: SignalObservation[];
  restored?: boolean;
  kind?: RunKind;
};

async function runOutsideCheck({
  before = healthy,
  home,
  endpoint = [refused, refused],
  restored = true,
  kind = 'update',
}: Checks) {
  const verdicts: Verdict[] = [];
  const checks = { home: [before, ...home], endpoint: [refused, ...endpoint] };
  const synced: string[] = [];
  const siteClient = {
    observePage: async (_: object, { page = 'home' }: { page?: 'home' | 'endpoint' }) =>
      checks[page].shift() ?? unreachable,
    sendVerdict: async (_: object, { verdict }: { verdict: Verdict }) => {
      verdicts.push(verdict);
      return { kind: 'answered', httpStatus: 200, body: { success: true, restored } };
    },
    sync: async () => synced.push('synced'),
  } as unknown as SiteClient;
  const delays = { recheck: 0, verdict: 0 };
  const deps = { siteClient, signal: new AbortController().signal, delays };
  const outcome = await callWithOutsideCheck(target, { kind, send: async () => response }, deps);
  return { verdicts, outcome, synced };
}

describe('the verdict', () => {
  const cases: [what: string, checks: Checks, verdict: Verdict][] = [
    ['the home page is as before', { home: [healthy] }, 'healthy'],
    ['the home page shows an error twice', { home: [broken, broken] }, 'broken'],
    [
      'the endpoint shows an error twice',
      { home: [healthy, healthy], endpoint: [broken, broken] },
      'broken',
    ],
    ['the home page shows an error once', { home: [broken, healthy] }, 'healthy'],
    [
      'each page shows an error once',
      { home: [broken, healthy], endpoint: [refused, broken] },
      'unknown',
    ],
    ['the home page was a login page', { before: refused, home: [refused] }, 'unknown'],
    [
      'the endpoint is blocked after the call',
      { home: [healthy], endpoint: [{ ...refused, http_status: 403 }] },
      'unknown',
    ],
    ['a proxy cannot reach the site', { home: [{ ...refused, http_status: 502 }] }, 'unknown'],
    ['the home page is unreachable', { home: [unreachable] }, 'unknown'],
    [
      'the home page shows an error, then is unreachable',
      { home: [broken, unreachable] },
      'unknown',
    ],
    ['the home page was broken before', { before: broken, home: [broken, broken] }, 'unknown'],
    [
      'the home page was unreachable before',
      { before: unreachable, home: [broken, broken] },
      'unknown',
    ],
    [
      'the home page redirects after the call',
      { home: [{ ...healthy, http_status: 302, is_complete: false }] },
      'unknown',
    ],
    [
      'the home page is incomplete after the call',
      { home: [{ ...healthy, is_complete: false }] },
      'unknown',
    ],
    [
      'the home page was incomplete before and after',
      { before: { ...healthy, is_complete: false }, home: [{ ...healthy, is_complete: false }] },
      'healthy',
    ],
  ];
  it.each(cases)('%s', async (_, checks, verdict) => {
    expect((await runOutsideCheck(checks)).verdicts).toEqual([verdict]);
  });
});

describe('the result', () => {
  const plugins = async (checks: Checks) => {
    const { outcome } = await runOutsideCheck(checks);
    if (outcome?.kind !== 'answered' || !('results' in outcome.body))
      throw new Error('No results.');
    return outcome.body;
  };

  it('is verified if the site is healthy', async () => {
    expect((await plugins({ home: [healthy] })).results.plugins).toEqual([
      { ...item, old_version: '1.0' },
      verified,
    ]);
  });

  it('stays unverified if the site is unreachable', async () => {
    const { results, ...body } = await plugins({ home: [unreachable] });
    expect(results.plugins).toEqual([unverified, verified]);
    expect(body).toEqual({ success: true, errors: [] });
  });

  it('fails the unverified items, at their old version', async () => {
    const body = await plugins({ home: [broken, broken] });
    const error = expect.stringMatching(/showed an error .* rolled back to the old version\.$/);
    expect(body.results.plugins).toEqual([
      {
        slug: 'shop/shop.php',
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        error,
        rolled_back: true,
      },
      verified,
    ]);
    expect(body).toMatchObject({
      success: false,
      errors: [{ type: 'plugin', slug: 'shop/shop.php', error }],
    });
  });

  it('reports a failed rollback', async () => {
    const body = await plugins({ home: [broken, broken], restored: false });
    expect(body.results.plugins[0]).toMatchObject({
      new_version: '2.0',
      success: false,
      error: expect.stringContaining('the rollback failed. Restore the old version'),
    });
  });

  it('reports that an installed package was removed', async () => {
    const body = await plugins({ home: [broken, broken], kind: 'install' });
    expect(body.results.plugins[0]).toMatchObject({
      new_version: '',
      success: false,
      rolled_back: true,
      error: expect.stringContaining('Steward removed the new files'),
    });
  });
});
