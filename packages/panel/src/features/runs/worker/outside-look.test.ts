import type { Verdict } from '@steward/contract';
import { describe, expect, it, vi } from 'vitest';
import type { SiteClient, SiteLook } from '../../../site-client/index.ts';
import { callWithLooks } from './outside-look.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const target = { siteUrl: 'https://shop.example.com', endpointUrl: null, serviceKey: 'key' };
const item = { slug: 'shop/shop.php', new_version: '2.0', success: true };
const doubtful = { ...item, verified: false, old_version: '1.0' };
const sure = { slug: 'other/other.php', new_version: '3.0', success: true };
const answer = {
  kind: 'answered' as const,
  httpStatus: 200,
  body: {
    success: true,
    results: { plugins: [doubtful, sure], themes: [], core: null },
    errors: [],
    awaiting_verdict: { call: 'the call', ticket: 'the ticket' },
  },
};

const good: SiteLook = { kind: 'seen', httpStatus: 200, isBroken: false, isWhole: true };
const dead: SiteLook = { kind: 'seen', httpStatus: 500, isBroken: true, isWhole: false };
const unseen: SiteLook = { kind: 'unseen' };

const refused: SiteLook = { kind: 'seen', httpStatus: 401, isBroken: false, isWhole: false };

/** Home page and endpoint, each time they are looked at; and the home page before. */
type Looks = { before?: SiteLook; home: SiteLook[]; endpoint?: SiteLook[]; restored?: boolean };

async function judge({
  before = good,
  home,
  endpoint = [refused, refused],
  restored = true,
}: Looks) {
  const told: Verdict[] = [];
  const looks = { home: [before, ...home], endpoint: [refused, ...endpoint] };
  const synced: string[] = [];
  const siteClient = {
    look: async (_: object, { page = 'home' }: { page?: 'home' | 'endpoint' }) =>
      looks[page].shift() ?? unseen,
    verdict: async (_: object, { verdict }: { verdict: Verdict }) => {
      told.push(verdict);
      return { kind: 'answered', httpStatus: 200, body: { success: true, restored } };
    },
    sync: async () => synced.push('synced'),
  } as unknown as SiteClient;
  const pauses = { look: 0, verdict: 0 };
  const deps = { siteClient, signal: new AbortController().signal, pauses };
  const outcome = await callWithLooks(target, async () => answer, deps);
  return { told, outcome, synced };
}

describe('what is seen from outside', () => {
  const cases: [what: string, looks: Looks, verdict: Verdict][] = [
    ['the home page is as before', { home: [good] }, 'healthy'],
    ['it shows an error twice', { home: [dead, dead] }, 'broken'],
    ['the endpoint does', { home: [good, good], endpoint: [dead, dead] }, 'broken'],
    ['it shows an error once', { home: [dead, good] }, 'healthy'],
    ['each shows an error once', { home: [dead, good], endpoint: [refused, dead] }, 'unknown'],
    ['a login page was in front', { before: refused, home: [refused] }, 'unknown'],
    [
      'the endpoint is blocked now',
      { home: [good], endpoint: [{ ...refused, httpStatus: 403 }] },
      'unknown',
    ],
    ['a proxy cannot reach it', { home: [{ ...refused, httpStatus: 502 }] }, 'unknown'],
    ['it cannot be seen', { home: [unseen] }, 'unknown'],
    ['it shows an error, then cannot be seen', { home: [dead, unseen] }, 'unknown'],
    ['it was dead before', { before: dead, home: [dead, dead] }, 'unknown'],
    ['it could not be seen before', { before: unseen, home: [dead, dead] }, 'unknown'],
    ['it redirects now', { home: [{ ...good, httpStatus: 302, isWhole: false }] }, 'unknown'],
    ['it breaks off now', { home: [{ ...good, isWhole: false }] }, 'unknown'],
    [
      'it was no whole page before, either',
      { before: { ...good, isWhole: false }, home: [{ ...good, isWhole: false }] },
      'healthy',
    ],
  ];
  it.each(cases)('%s', async (_, looks, verdict) => {
    expect((await judge(looks)).told).toEqual([verdict]);
  });
});

describe('what is made of it', () => {
  const plugins = async (looks: Looks) => {
    const { outcome } = await judge(looks);
    if (outcome.kind !== 'answered' || !('results' in outcome.body)) throw new Error('No results.');
    return outcome.body;
  };

  it('is a success when it was seen', async () => {
    expect((await plugins({ home: [good] })).results.plugins).toEqual([item, sure]);
  });

  it('stays unverified when it was not', async () => {
    const { results, ...body } = await plugins({ home: [unseen] });
    expect(results.plugins).toEqual([doubtful, sure]);
    expect(body).toEqual({ success: true, errors: [] });
  });

  it('is a failure of what was not judged by the site, at its old version', async () => {
    const body = await plugins({ home: [dead, dead] });
    const error = expect.stringMatching(/saw an error\. The old version was put back\.$/);
    expect(body.results.plugins).toEqual([
      { slug: 'shop/shop.php', new_version: '1.0', success: false, error },
      sure,
    ]);
    expect(body).toMatchObject({
      success: false,
      errors: [{ type: 'plugin', slug: 'shop/shop.php', error }],
    });
  });

  it('says when the old version could not be put back', async () => {
    const body = await plugins({ home: [dead, dead], restored: false });
    expect(body.results.plugins[0]).toMatchObject({
      new_version: '2.0',
      success: false,
      error: expect.stringContaining('could not be put back. Restore the site by hand.'),
    });
  });
});
