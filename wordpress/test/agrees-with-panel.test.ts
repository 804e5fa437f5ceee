/** Compares PHP with TypeScript on random inputs. `npm run test:php` checks the test vectors of both. */
import { canonicalSiteUrl, compareVersions, normalizeLicenseKey } from '@steward/contract';
import licenseKeys from '@steward/contract/vectors/license-keys.json' with { type: 'json' };
import { run } from '@steward/testkit/command.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiAddress, nonAsciiAddress } from './support/arbitrary-addresses.ts';
import { callInPhp, listEnvironments, WITHOUT_INTL } from './support/plugin-in-php.ts';

const keyCases: { input: string; normalized?: string }[] = licenseKeys.cases;

const canonicalInPanel = (input: string): string | null => {
  const result = canonicalSiteUrl(input);
  return result.ok ? result.canonical : null;
};

/** Draws random inputs. A failure message should contain `seed`, so that the run can be repeated. */
function drawSamples<T>(arbitrary: fc.Arbitrary<T>, numRuns = 2000): { seed: string; inputs: T[] } {
  const seed = Date.now() % 2 ** 31;
  return { seed: `seed ${seed}`, inputs: fc.sample(arbitrary, { numRuns, seed }) };
}

type Difference = { input: string; plugin: string | null; panel: string | null };

function findDifferences(inputs: string[], results: (string | null)[]): Difference[] {
  return inputs
    .map((input, at) => ({ input, plugin: results[at] ?? null, panel: canonicalInPanel(input) }))
    .filter(({ plugin, panel }) => plugin !== panel);
}

function listCharacters(): string[] {
  const all = Array.from({ length: 0x10000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80));
  return all.filter((character) => character.isWellFormed());
}

for (const environment of await listEnvironments()) {
  describe(`Site_Url::canonical ${environment.name}`, () => {
    it('agrees with the panel on ASCII hosts', async () => {
      const { inputs, seed } = drawSamples(asciiAddress);
      const results = await callInPhp('canonical', inputs, environment);
      expect(findDifferences(inputs, results), seed).toEqual([]);
    });

    // Without intl, WordPress's encoder supports fewer hosts. There the plugin may refuse a host.
    const isExact = environment !== WITHOUT_INTL;
    it(`agrees with the panel on other hosts${isExact ? '' : ', or refuses'}`, async () => {
      const { inputs, seed } = drawSamples(nonAsciiAddress);
      const differing = findDifferences(inputs, await callInPhp('canonical', inputs, environment));
      const wrong = differing.filter(({ plugin }) => isExact || plugin !== null);
      expect(wrong, seed).toEqual([]);
    });

    it('never disagrees with the panel on a host with any character', async () => {
      for (const around of ['https://a?b.de/?', 'https://?.de', 'b?']) {
        const inputs = listCharacters().map((character) => around.replaceAll('?', character));
        const differing = findDifferences(
          inputs,
          await callInPhp('canonical', inputs, environment),
        );
        expect(differing.filter(({ plugin }) => plugin !== null)).toEqual([]);
      }
    });
  });
}

it('License_Key::normalize agrees with the panel on mistyped keys', async () => {
  const keys = keyCases.flatMap(({ normalized }) => normalized ?? []);
  const space = fc.string({
    unit: fc.constantFrom(' ', '\t', '\v', '\n', '\u00a0', '\ufeff', '\u0085', '\u2003', 'é'),
    maxLength: 45,
  });
  const typo = fc.constantFrom('', '', '', '-', ' ', '\t', 'O', 'l', '*');
  const typed = fc
    .tuple(space, fc.constantFrom(...keys), fc.nat(36), typo, fc.boolean(), space)
    .map(([before, key, at, inserted, isLower, after]) => {
      const slipped = key.slice(0, at) + inserted + key.slice(at);
      return before + (isLower ? slipped.toLowerCase() : slipped) + after;
    });
  const { inputs, seed } = drawSamples(fc.oneof(typed, fc.string()));
  const results = await callInPhp('normalize', inputs);
  expect(results, seed).toEqual(inputs.map(normalizeLicenseKey));
});

const COMPARE = `echo json_encode(array_map(
  function ($pair) { return version_compare($pair[0], $pair[1]); },
  json_decode(stream_get_contents(STDIN), true)
));`;

it('version_compare agrees with the panel on random versions', async () => {
  const part = fc.constantFrom(
    ...['0', '1', '9', '10', '01', '.', '.', '-', '_', '+', '#', ' ', 'é', '9223372036854775808'],
    ...['dev', 'alpha', 'a', 'beta', 'b', 'RC', 'rc', 'pl', 'p', 'x', 'v', 'Beta'],
  );
  const version = fc.array(part, { maxLength: 7 }).map((parts) => parts.join(''));
  const pair: fc.Arbitrary<[string, string]> = fc.oneof(
    fc.tuple(version, version),
    fc.tuple(version, version).map(([start, end]): [string, string] => [start, start + end]),
  );
  const { inputs, seed } = drawSamples(pair, 20_000);
  const results = JSON.parse(await run('php', ['-r', COMPARE], { input: JSON.stringify(inputs) }));
  const differing = inputs.filter(([a, b], at) => compareVersions(a, b) !== results[at]);
  expect(differing, seed).toEqual([]);
});
