import { describe, expect, it } from 'vitest';
import { type JudgedError, type JudgedWatch, judgeWatch } from './judge-watch.ts';

const at = (minutes: number) => new Date(Date.UTC(2026, 5, 1, 12, minutes));
const SHOP = { type: 'plugin', slug: 'shop/shop.php' } as const;
const CART = { type: 'plugin', slug: 'cart/cart.php' } as const;
const CORE = { type: 'core', slug: 'core' } as const;
const START = 60;
const END = START + 24 * 60;

const watchOf = (change: Partial<JudgedWatch> = {}): JudgedWatch => ({
  ...{ ...SHOP, to_version: '2.0', started_at: at(START), until: at(END) },
  ...change,
});
const error = (change: Partial<JudgedError> = {}): JudgedError => ({
  ...{ ...SHOP, version: '2.0', fingerprint: 'a', via: [], is_confirmed: true },
  ...{ request_kind: 'front', first_at: at(START + 5), last_at: at(START + 5) },
  ...change,
});
const visitorError = error({ is_confirmed: false });
const REPORTED = { reported_at: at(END - 60), dropped_at: null };

function judge(
  errors: JudgedError[],
  {
    watch = watchOf(),
    now = at(START + 10),
    ...rest
  }: Partial<Omit<Parameters<typeof judgeWatch>[1], 'errors'>> & { watch?: JudgedWatch } = {},
) {
  const evidence = { errors, watches: [watch], report: REPORTED, isReplaced: false, now, ...rest };
  return judgeWatch(watch, evidence);
}
const judgeAtEnd = (errors: JudgedError[], options: Parameters<typeof judge>[1] = {}) =>
  judge(errors, { now: at(END), ...options });

describe('a confirmed error', () => {
  it('is trouble at once, and also if it is reported after the end', () => {
    expect(judge([error()])).toEqual({ state: 'troubled', error: error() });
    expect(judgeAtEnd([error()]).state).toBe('troubled');
  });

  it('of another item is trouble if it went through the updated item', () => {
    expect(judge([error({ ...CART, version: '1.0', via: [SHOP] })]).state).toBe('troubled');
    expect(judgeAtEnd([error({ ...CART, version: '1.0' })]).state).toBe('healthy');
  });

  it('that went through core is the fault of core, unless the failing item was updated too', () => {
    const core = watchOf({ ...CORE, to_version: '7.1' });
    const failure = error({ version: '2.0', via: [CORE] });
    expect(judge([failure], { watch: core }).state).toBe('troubled');
    expect(judge([failure], { watch: core, watches: [core, watchOf()] }).state).toBe('watching');
  });

  it.each<[string, JudgedError[]]>([
    ['ended before the update', [error({ first_at: at(START - 9), last_at: at(START - 5) })]],
    [
      'went through the item before, too',
      [error({ ...CART, via: [SHOP], first_at: at(START - 5) })],
    ],
    [
      'existed in the version before, in another line',
      [error(), error({ version: '1.0', first_at: at(START - 60) })],
    ],
    ['is of another version', [error({ version: '1.0' })]],
    ['first happened after the end', [error({ first_at: at(END + 1) })]],
    ['is of another item', [error(CART)]],
  ])('is not the fault of the update if it %s', (_, errors) => {
    expect(judgeAtEnd(errors).state).toBe('healthy');
  });

  it('counts if the same version was installed before, and restored', () => {
    expect(judge([error({ first_at: at(START - 60) })]).state).toBe('troubled');
  });

  it('is not hidden by an earlier error of visitors, unless in the same kind of request', () => {
    const earlier = error({ version: '1.0', is_confirmed: false, first_at: at(START - 60) });
    expect(judge([error({ request_kind: 'admin' }), earlier]).state).toBe('troubled');
    expect(judge([error(), earlier]).state).toBe('watching');
  });

  it('counts if a restored version has the same error later', () => {
    const later = error({ version: '1.0', first_at: at(START + 30) });
    expect(judge([error(), later]).state).toBe('troubled');
  });

  it('within the tolerance of the clocks is new', () => {
    expect(judge([error({ first_at: new Date(at(START).getTime() - 1000) })]).state).toBe(
      'troubled',
    );
  });
});

describe('an error of visitors', () => {
  it('is shown at once, and never trouble', () => {
    expect(judge([visitorError])).toEqual({ state: 'watching', error: visitorError });
    expect(judgeAtEnd([visitorError])).toEqual({ state: 'reported', error: visitorError });
  });

  it('does not hide a later confirmed error', () => {
    const later = error({ fingerprint: 'b', first_at: at(START + 9) });
    expect(judge([visitorError, later])).toEqual({ state: 'troubled', error: later });
  });
});

describe('without new errors, a watch', () => {
  it('runs until its end, and ends healthy', () => {
    expect(judge([])).toEqual({ state: 'watching', error: null });
    expect(judgeAtEnd([])).toEqual({ state: 'healthy', error: null });
  });

  it.each<[string, Parameters<typeof judge>[1]]>([
    ['the site has never reported errors', { report: null }],
    ['it has not reported since', { report: { reported_at: at(START), dropped_at: null } }],
    ['it was silent in the last hours', { report: { ...REPORTED, reported_at: at(START + 1) } }],
    ['it has dropped groups', { report: { ...REPORTED, dropped_at: at(START + 1) } }],
    ['it has another version now', { isReplaced: true }],
  ])('ends unknown if %s', (_, options) => {
    expect(judgeAtEnd([], options).state).toBe('unknown');
  });

  it('is healthy if the site dropped groups only before the update', () => {
    const report = { ...REPORTED, dropped_at: at(START - 1) };
    expect(judgeAtEnd([], { report }).state).toBe('healthy');
  });
});
