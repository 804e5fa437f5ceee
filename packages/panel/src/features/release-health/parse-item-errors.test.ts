import { expect, it } from 'vitest';
import { parseItemErrors } from './parse-item-errors.ts';

const RECEIVED = new Date('2026-06-01T12:00:00Z');
const GROUP = {
  ...{ type: 'plugin', slug: 'shop/shop.php', version: '2.0' },
  ...{ message: 'Call to undefined function x()', place: 'shop.php:12', request_kind: 'front' },
  ...{ via: [{ type: 'theme', slug: 'plain' }], is_confirmed: true, count: 3 },
  ...{ first_at: '2026-06-01T11:00:00Z', last_at: '2026-06-01T11:30:00Z' },
};
const parse = (groups: unknown, more: object = {}) =>
  parseItemErrors({ now: RECEIVED.toISOString(), groups, ...more }, RECEIVED);
const parseOne = (change: object) => parse([{ ...GROUP, ...change }])?.errors[0];

it('reads a report', () => {
  expect(parse([GROUP])).toEqual({
    errors: [{ ...GROUP, first_at: new Date(GROUP.first_at), last_at: new Date(GROUP.last_at) }],
    hasDropped: false,
  });
});

it.each([null, 'text', 7, [], undefined])('ignores %j in place of a report', (body) => {
  expect(parseItemErrors(body, RECEIVED)).toBeNull();
});

it.each<[string, unknown]>([
  ['an unknown type', { ...GROUP, type: 'translation' }],
  ['an unknown kind of request', { ...GROUP, request_kind: 'new' }],
  ['no message', { ...GROUP, message: undefined }],
  ['a time that is none', { ...GROUP, last_at: 'yesterday' }],
  ['a negative count', { ...GROUP, count: -1 }],
  ['text instead of a group', 'group'],
])('drops only the group with %s', (_, bad) => {
  const report = parse([bad, GROUP]);
  expect(report?.errors).toHaveLength(1);
  expect(report?.hasDropped).toBe(true);
});

it('accepts a group without a version or a message', () => {
  const report = parse([{ ...GROUP, version: '', message: '\u0001\n' }]);
  expect(report?.errors).toMatchObject([{ version: '', message: 'Error without a message' }]);
  expect(report?.hasDropped).toBe(false);
});

it('cuts texts and removes what could reorder them', () => {
  const error = parseOne({
    message: `a\u202e\r\nb${'x'.repeat(5000)}`,
    place: 'y'.repeat(5000),
    via: Array.from({ length: 50 }, () => ({ type: 'plugin', slug: 'a\u0000b' })),
  });
  expect(error?.message).toMatch(/^a bx+…$/);
  expect(error?.message).toHaveLength(200);
  expect(error?.place).toHaveLength(300);
  expect(error?.via).toEqual(Array.from({ length: 5 }, () => ({ type: 'plugin', slug: 'a b' })));
});

it('corrects the times of a site with a wrong clock', () => {
  const now = '2031-06-01T12:00:00Z';
  const times = { first_at: '2031-06-01T11:00:00Z', last_at: '2031-06-01T11:59:00Z' };
  const [error] = parse([{ ...GROUP, ...times }], { now })?.errors ?? [];
  expect(error?.first_at).toEqual(new Date('2026-06-01T11:00:00Z'));
  expect(error?.last_at).toEqual(new Date('2026-06-01T11:59:00Z'));
});

it('keeps times within the last 90 days', () => {
  const error = parseOne({ first_at: '1999-01-01T00:00:00Z', last_at: '2099-01-01T00:00:00Z' });
  expect(error?.first_at).toEqual(new Date('2026-03-03T12:00:00Z'));
  expect(error?.last_at).toEqual(RECEIVED);
});

it.each<[unknown, boolean]>([
  [true, true],
  [3, true],
  [0, false],
  [false, false],
  [undefined, false],
])('reads %j as dropped: %j', (dropped, expected) => {
  expect(parse([GROUP], { dropped })?.hasDropped).toBe(expected);
});

it('reads at most 100 groups', () => {
  const report = parse(Array.from({ length: 150 }, () => GROUP));
  expect(report?.errors).toHaveLength(100);
  expect(report?.hasDropped).toBe(true);
});
