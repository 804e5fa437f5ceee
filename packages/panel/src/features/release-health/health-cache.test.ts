import { expect, it } from 'vitest';
import { createHealthCache } from './health-cache.ts';

function useCache() {
  const fakes = { now: new Date('2026-06-01T12:00:00Z'), reads: 0, fails: false };
  const cache = createHealthCache<number>({ clock: { now: () => fakes.now } });
  const read = (sites: number, key = 'shop') =>
    cache(key, sites, async () => {
      if (fakes.fails) throw new Error('The database is down.');
      return ++fakes.reads;
    });
  const advance = (minutes: number) => {
    fakes.now = new Date(fakes.now.getTime() + minutes * 60_000);
  };
  return { fakes, read, advance };
}

it('reads the figures of an item on few sites each time', async () => {
  const { read } = useCache();
  expect([await read(1999), await read(1999)]).toEqual([1, 2]);
});

it('keeps the figures of an item on many sites, and refreshes them after a minute', async () => {
  const { read, advance } = useCache();
  expect([await read(2000), await read(2000)]).toEqual([1, 1]);
  advance(2);
  expect(await read(2000)).toBe(1);
  expect(await read(2000)).toBe(2);
});

it('reads again if the user may see other sites, or after ten minutes', async () => {
  const { read, advance } = useCache();
  expect([await read(3000), await read(2999)]).toEqual([1, 2]);
  advance(11);
  expect(await read(2999)).toBe(3);
  expect(await read(2999, 'other')).toBe(4);
});

it('keeps the figures if they cannot be read again', async () => {
  const { fakes, read, advance } = useCache();
  await read(2000);
  advance(2);
  fakes.fails = true;
  expect([await read(2000), await read(2000)]).toEqual([1, 1]);
  fakes.fails = false;
  await read(2000);
  expect(await read(2000)).toBe(2);
});

it('keeps 500 items', async () => {
  const { fakes, read } = useCache();
  for (let item = 0; item <= 500; item++) await read(2000, `item ${item}`);
  await read(2000, 'item 500');
  expect(fakes.reads).toBe(501);
  await read(2000, 'item 0');
  expect(fakes.reads).toBe(502);
});
