import { describe, expect, it } from 'vitest';
import { type EndStatus, mayEndAs, TASK_TRANSITIONS } from './task-states.ts';

const ENDS: EndStatus[] = [
  'succeeded',
  'partial',
  'failed',
  'unverified',
  'unknown',
  'refused',
  'cancelled',
];

describe('the states of a task', () => {
  it('can be cancelled only before the call', () => {
    expect(mayEndAs('queued', 'cancelled')).toBe(true);
    expect(mayEndAs('running', 'cancelled')).toBe(false);
    expect(mayEndAs('unknown', 'cancelled')).toBe(false);
  });

  it('have no result of the site before the call', () => {
    const { ended } = TASK_TRANSITIONS.queued;
    expect(ENDS.filter((end) => ended.includes(end))).toEqual(['unknown', 'refused', 'cancelled']);
  });

  it.each(['running', 'unknown'] as const)('have every result of a call from %s', (status) => {
    const results = ENDS.filter((end) => end !== 'cancelled');
    expect(ENDS.filter((end) => mayEndAs(status, end))).toEqual(results);
  });

  it('never return to queued after a lost call', () => {
    expect(TASK_TRANSITIONS.unknown.open).not.toContain('queued');
  });

  it.each(['succeeded', 'partial', 'failed', 'unverified', 'refused', 'cancelled'] as const)(
    'never change after %s',
    (status) => expect(ENDS.some((end) => mayEndAs(status, end))).toBe(false),
  );
});
