import { compareVersions } from '@steward/contract';
import sameVersions from '@steward/contract/vectors/same-versions.json' with { type: 'json' };
import versions from '@steward/contract/vectors/versions.json' with { type: 'json' };
import { run } from '@steward/testkit/command.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callInPhp } from './support/plugin-in-php.ts';

type Pair = [a: string, b: string];

const COMPARE = `echo json_encode(array_map(
  function ($pair) { return version_compare($pair[0], $pair[1]); },
  json_decode(stream_get_contents(STDIN), true)
));`;

const compareInPhp = async (pairs: Pair[]): Promise<number[]> =>
  JSON.parse(await run('php', ['-r', COMPARE], { input: JSON.stringify(pairs) }));

it('version_compare matches all test vectors', async () => {
  const results = await compareInPhp(versions.cases.map(({ a, b }) => [a, b]));
  expect(results).toEqual(versions.cases.map(({ order }) => order));
});

it('Versions::are_same matches all test vectors', async () => {
  const { cases } = sameVersions;
  const results = await callInPhp(
    'same',
    cases.map(({ a, b }) => JSON.stringify([a, b])),
  );
  expect(results).toEqual(cases.map(({ same }) => same));
});

it('Versions::is_older knows pre-releases and other spellings', async () => {
  const pairs: [a: string, b: string, isOlder: boolean][] = [
    ['2.0-beta', '2.0', true],
    ['2.0', '2.0-beta', false],
    ['2.0', '2.0.0', false],
    ['1.9', ' 1.10', true],
  ];
  const results = await callInPhp(
    'older',
    pairs.map(([a, b]) => JSON.stringify([a, b])),
  );
  expect(results).toEqual(pairs.map(([, , isOlder]) => isOlder));
});

it('compareVersions agrees with version_compare on random versions', async () => {
  const part = fc.constantFrom(
    ...['0', '1', '9', '10', '01', '.', '.', '-', '_', '+', '#', ' ', 'é', '9223372036854775808'],
    ...['dev', 'alpha', 'a', 'beta', 'b', 'RC', 'rc', 'pl', 'p', 'x', 'v', 'Beta'],
  );
  const version = fc.array(part, { maxLength: 7 }).map((parts) => parts.join(''));
  const pair = fc.oneof(
    fc.tuple(version, version),
    fc.tuple(version, version).map(([start, end]): Pair => [start, start + end]),
  );
  const seed = Date.now() % 2 ** 31;
  const pairs = fc.sample(pair, { numRuns: 20_000, seed });
  const results = await compareInPhp(pairs);
  const differing = pairs.filter(([a, b], at) => compareVersions(a, b) !== results[at]);
  expect(differing, `seed ${seed}`).toEqual([]);
});
