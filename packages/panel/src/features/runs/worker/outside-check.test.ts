import type { OutsideCheckRequest, RunKind, SignalObservation, Verdict } from '@steward/contract';
import { describe, expect, it, vi } from 'vitest';
import type { SiteClient } from '../../../site-client/index.ts';
import { toTaskResult } from '../outcome/task-outcome.ts';
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
const moved = { ...healthy, http_status: 302, is_complete: false };
const LOGIN = {
  request: {
    pages: [{ page: 'login' as const, path: '/wp-login.php' }],
    pages_planned: 17,
    reason: 'this host blocks it',
  },
};
const refused = { ...healthy, http_status: 401, is_complete: false };

/** The pages at each check; `before`: the home page before the call. */
type Checks = {
  before?: SignalObservation;
  home: SignalObservation[];
  endpoint?: SignalObservation[];
  /** Before the call and at each check. */
  login?: SignalObservation[];
  request?: OutsideCheckRequest;
  restored?: boolean;
  kind?: RunKind;
};

async function runOutsideCheck({
  before = healthy,
  home,
  endpoint = [refused, refused],
  login = [],
  request = {},
  restored = true,
  kind = 'update',
}: Checks) {
  const verdicts: Verdict[] = [];
  const checks = { home: [before, ...home], endpoint: [refused, ...endpoint], login };
  const synced: string[] = [];
  const siteClient = {
    observePage: async (
      _: object,
      { page = 'home' }: { page?: 'home' | 'endpoint' | { path: string } },
    ) => checks[typeof page === 'string' ? page : 'login'].shift() ?? unreachable,
    sendVerdict: async (_: object, { verdict }: { verdict: Verdict }) => {
      verdicts.push(verdict);
      return { kind: 'answered', httpStatus: 200, body: { success: true, restored } };
    },
    sync: async () => synced.push('synced'),
  } as unknown as SiteClient;
  const delays = { recheck: 0, verdict: 0 };
  const deps = { siteClient, signal: new AbortController().signal, delays };
  const call = { kind, request, send: async () => response };
  const outcome = await callWithOutsideCheck(target, call, deps);
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
      'the login page shows an error twice',
      { ...LOGIN, home: [healthy, healthy], login: [healthy, broken, broken] },
      'broken',
    ],
    ['the login page was broken before', { ...LOGIN, home: [healthy], login: [broken] }, 'healthy'],
    [
      'the login page redirects after the call',
      { ...LOGIN, home: [healthy, healthy], login: [healthy, moved, moved] },
      'unknown',
    ],
    [
      'the login page redirects once',
      { ...LOGIN, home: [healthy, healthy], login: [healthy, moved, healthy] },
      'healthy',
    ],
    [
      'the login page does not load after the call',
      { ...LOGIN, home: [healthy], login: [healthy] },
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

  it('stays unverified if the site is healthy, because the panel sees few pages', async () => {
    const { results } = await plugins({ home: [healthy] });
    expect(results.plugins).toEqual([unverified, verified]);
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

describe('the task', () => {
  const resultOf = async (checks: Checks) => {
    const { outcome } = await runOutsideCheck(checks);
    if (!outcome) throw new Error('No outcome.');
    return toTaskResult(outcome, null);
  };

  it('says how many of the planned pages the panel could check', async () => {
    expect(await resultOf({ ...LOGIN, home: [healthy], login: [healthy, healthy] })).toMatchObject({
      ...{ status: 'unverified', code: 'pages_not_checked' },
      error: '3 of 17 pages could be checked, because this host blocks it.',
      ...{ pages_compared: 3, pages_planned: 17 },
    });
  });

  it('says how many pages the panel checked for a site with an older plugin', async () => {
    expect(await resultOf({ home: [healthy] })).toMatchObject({
      ...{ status: 'unverified', code: 'pages_not_checked' },
      error: '2 pages could be checked from outside, because the site cannot open its own pages.',
      ...{ pages_compared: 2, pages_planned: null },
    });
  });

  it('is not checked if the panel cannot load the pages either, or something is in front of them', async () => {
    const firewall = { ...healthy, http_status: 429, obstacle: 'firewall' as const };
    for (const page of [unreachable, firewall]) {
      const result = await resultOf({ ...LOGIN, home: [page], endpoint: [page] });
      expect(result).toMatchObject({
        code: 'pages_not_checked',
        error:
          '0 of 17 pages could be checked, because this host blocks it, and Steward could not load them either.',
      });
    }
  });

  it('names a page that differs in both checks', async () => {
    const login = [healthy, moved, moved];
    expect(await resultOf({ ...LOGIN, home: [healthy, healthy], login })).toMatchObject({
      ...{ status: 'unverified', code: 'pages_differ' },
      error: 'The login page now responds with HTTP status 302. Open the page and check it.',
    });
    const incomplete = { ...healthy, is_complete: false };
    expect(await resultOf({ home: [incomplete, incomplete] })).toMatchObject({
      error: 'The home page ends before its closing tag. Open the page and check it.',
    });
  });

  it('does not blame a page that differs only once', async () => {
    const login = [healthy, moved, unreachable];
    expect(await resultOf({ ...LOGIN, home: [healthy, healthy], login })).toMatchObject({
      code: 'pages_not_checked',
      pages_compared: 2,
    });
  });

  it('has no pages after a rollback', async () => {
    const result = await resultOf({ home: [broken, broken] });
    expect(result).toMatchObject({ status: 'partial', code: null, notes: [] });
  });
});
