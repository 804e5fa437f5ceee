import { describe, expect, it } from 'vitest';
import {
  compareHealth,
  confirmTroubles,
  findOutage,
  type SignalObservation,
  type SiteObservation,
} from './index.ts';

const PAGE: SignalObservation = {
  http_status: 200,
  bytes: 20_000,
  has_fatal_error: false,
  is_complete: true,
  obstacle: null,
  error: null,
};
const APPLICATION_RESPONSE: SignalObservation = { ...PAGE, bytes: 90 };
const NO_RESPONSE: SignalObservation = {
  ...PAGE,
  http_status: null,
  bytes: 0,
  is_complete: false,
  error: 'site_unreachable',
};

const observe = (
  home: Partial<SignalObservation> = {},
  application: Partial<SignalObservation> = {},
): SiteObservation => ({
  home: { ...PAGE, ...home },
  application: { ...APPLICATION_RESPONSE, ...application },
  certificate_expires_at: null,
});
const codes = (before: SiteObservation | null, after: SiteObservation) =>
  compareHealth(before, after).map(({ code }) => code);

const DEAD = { http_status: 500, is_complete: false, error: 'site_down' } as const;
const FIREWALL = { http_status: 403, is_complete: false, obstacle: 'firewall' } as const;
const LOGIN = { http_status: 401, is_complete: false, obstacle: 'login' } as const;
const MAINTENANCE = { http_status: 503, is_complete: false, obstacle: 'maintenance' } as const;

describe('compareHealth', () => {
  it.each<[string, SiteObservation | null, SiteObservation, string[]]>([
    ['nothing changed', observe(), observe(), []],
    ['a fatal error in the page', observe(), observe({ has_fatal_error: true }), ['fatal_error']],
    ['status 500', observe(), observe({ http_status: 500 }), ['fatal_error']],
    ['the page is not found', observe(), observe({ http_status: 404 }), ['status_changed']],
    ['the page is forbidden', observe(), observe({ http_status: 403 }), ['status_changed']],
    ['the proxy has no application', observe(), observe({ http_status: 502 }), ['status_changed']],
    ['a redirect to another host', observe(), observe({ http_status: 302 }), ['status_changed']],
    ['less than half of the page', observe(), observe({ bytes: 9_999 }), ['page_shrunk']],
    ['half of the page', observe(), observe({ bytes: 10_000 }), []],
    ['the page is cut off', observe(), observe({ is_complete: false }), ['page_incomplete']],
    ['the page does not load', observe(), observe(NO_RESPONSE), ['unreachable']],
    ['a cache hides a dead application', observe(), observe({}, DEAD), ['application_down']],
    [
      'all is down',
      observe(),
      observe(NO_RESPONSE, NO_RESPONSE),
      ['unreachable', 'application_down'],
    ],
    [
      'another site responds',
      observe(),
      observe({}, { is_complete: false, error: 'site_invalid_response' }),
      ['application_down'],
    ],
    [
      'a fatal error on a site that did not respond before',
      observe(NO_RESPONSE, NO_RESPONSE),
      observe(DEAD, NO_RESPONSE),
      ['fatal_error'],
    ],
    ['no observation from before', null, observe({ http_status: 404 }, NO_RESPONSE), []],
    [
      'a fatal error, no observation from before',
      null,
      observe(DEAD, DEAD),
      ['fatal_error', 'application_down'],
    ],
  ])('finds what became worse: %s', (_name, before, after, expected) => {
    expect(codes(before, after)).toEqual(expected);
  });

  it.each<[string, SiteObservation, SiteObservation]>([
    ['was broken before in the same way', observe(DEAD, DEAD), observe(DEAD, DEAD)],
    ['was not found before', observe({ http_status: 404 }), observe({ http_status: 410 })],
    ['recovered', observe(DEAD, DEAD), observe()],
    ['is behind a login', observe(LOGIN, LOGIN), observe(LOGIN, LOGIN)],
    ['got a login meanwhile', observe(), observe(LOGIN, LOGIN)],
    ['is behind a challenge', observe(), observe(FIREWALL, FIREWALL)],
    ['limits requests', observe(), observe({ ...FIREWALL, http_status: 429 })],
    ['left the challenge', observe(FIREWALL), observe({ bytes: 10 })],
    ['is in maintenance', observe(), observe(MAINTENANCE, MAINTENANCE)],
    [
      'redirects to another host as before',
      observe({ http_status: 301, bytes: 0 }),
      observe({ http_status: 302, bytes: 0 }),
    ],
    ['has a tiny page', observe({ bytes: 900 }), observe({ bytes: 20 })],
    ['has a page of varying size', observe({ bytes: 90_000 }), observe({ bytes: 50_000 })],
    [
      'blocks the endpoint as before',
      observe({}, { is_complete: false, error: 'site_invalid_response' }),
      observe({}, NO_RESPONSE),
    ],
  ])('raises no false alarm for a site that %s', (_name, before, after) => {
    expect(codes(before, after)).toEqual([]);
  });

  it('confirms only a trouble of a signal that fails twice', () => {
    const first = compareHealth(observe(), observe({ http_status: 502 }, DEAD));
    const second = compareHealth(observe(), observe({}, { ...DEAD, http_status: 502 }));
    expect(confirmTroubles(first, second).map(({ code }) => code)).toEqual(['application_down']);
  });
});

describe('findOutage', () => {
  const find = (observation: SiteObservation, hasResponded = true) =>
    findOutage(observation, { hasResponded });

  it.each<[string, SiteObservation, object | null]>([
    ['up', observe(), null],
    [
      'a host that does not respond',
      observe(NO_RESPONSE, NO_RESPONSE),
      { signal: 'home', reason: 'site_unreachable' },
    ],
    ['an error', observe(DEAD), { signal: 'home', reason: 'site_down' }],
    [
      'a dead application behind a cache',
      observe({}, DEAD),
      { signal: 'application', reason: 'site_down' },
    ],
    ['a page that is not found', observe({ http_status: 404 }), null],
    ['a firewall', observe(FIREWALL, FIREWALL), null],
    ['a login', observe(LOGIN, LOGIN), null],
    ['maintenance', observe(MAINTENANCE, MAINTENANCE), null],
    [
      'an endpoint that a firewall blocks',
      observe({}, { http_status: 403, is_complete: false, error: 'site_invalid_response' }),
      null,
    ],
  ])('judges %s', (_name, observation, expected) => {
    expect(find(observation)).toEqual(expected);
  });

  it('reports a parking page only for a site whose application has responded before', () => {
    const parked = observe({}, { is_complete: false, error: 'site_invalid_response' });
    expect([find(parked, true)?.reason, find(parked, false)]).toEqual([
      'site_invalid_response',
      null,
    ]);
  });
});

describe('compareHealth minutes after an update', () => {
  const lateCodes = (before: SiteObservation, after: SiteObservation) =>
    compareHealth(before, after, { isLate: true }).map(({ code }) => code);

  it('finds a site that was left in its maintenance mode', () => {
    expect(codes(observe(), observe(MAINTENANCE, MAINTENANCE))).toEqual([]);
    expect(lateCodes(observe(), observe(MAINTENANCE, MAINTENANCE))).toEqual(['status_changed']);
  });

  it('finds no trouble if the site was in maintenance mode before', () => {
    expect(lateCodes(observe(MAINTENANCE, MAINTENANCE), observe(MAINTENANCE))).toEqual([]);
  });
});
