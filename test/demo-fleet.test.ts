import { expect, it } from 'vitest';
import { createFleet, MAX_SITES, sitePort } from '../demo/fleet.ts';
import { findLastNight } from '../demo/history.ts';

it('the largest demo has an address of its own for each site, and errors in the first ring', () => {
  const sites = createFleet(MAX_SITES);
  expect(new Set(sites.map(({ host }) => host)).size).toBe(MAX_SITES);
  expect(new Set(sites.map((site) => sitePort(site, 4100))).size).toBe(MAX_SITES);
  const firstRing = sites.filter(({ tags }) => tags.includes('canary'));
  expect(firstRing.filter(({ failsAfterUpdate }) => failsAfterUpdate)).toHaveLength(3);
});

it.each([
  ['in the morning', '2026-06-02T08:00:00Z', '2026-06-02T01:12:00.000Z'],
  ['during the same minutes', '2026-06-02T01:20:00Z', '2026-06-01T01:12:00.000Z'],
  ['just after midnight', '2026-06-02T00:05:00Z', '2026-06-01T01:12:00.000Z'],
])('the outage of last night has ended %s', (_time, now, expected) => {
  const [startedAt, endedAt] = findLastNight(new Date(now));
  expect([startedAt.toISOString(), endedAt.getTime() - startedAt.getTime()]).toEqual([
    expected,
    35 * 60_000,
  ]);
});
