import { describe, expect, it } from 'vitest';
import { reachabilityKnowledge } from './reachability-knowledge.ts';

const NOW = new Date('2026-06-01T12:00:00Z');

describe('what is known about the reachability of a site', () => {
  it.each([
    ['up', '2026-06-01T11:58:00Z', 'known'],
    [null, null, 'never_checked'],
    [null, '2026-06-01T11:59:30Z', 'unconfirmed'],
    [null, '2026-06-01T10:00:00Z', 'unconfirmed'],
    [null, '2026-06-01T09:59:59Z', 'outdated'],
  ] as const)('state %s, checked at %s: %s', (state, checked_at, knowledge) => {
    expect(reachabilityKnowledge({ state, checked_at }, NOW)).toBe(knowledge);
  });
});
