import { canonicalSiteUrl, normalizeLicenseKey } from '@steward/contract';
import licenseKeys from '@steward/contract/vectors/license-keys.json' with { type: 'json' };
import siteUrls from '@steward/contract/vectors/site-urls.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiAddress, nonAsciiAddress } from './support/arbitrary-addresses.ts';
import {
  callInPhp,
  listEnvironments,
  WITHOUT_ANY,
  WITHOUT_INTL,
  WITHOUT_MBSTRING,
} from './support/plugin-in-php.ts';

type UrlCase = { input: string; canonical?: string };
type KeyCase = { input: string; normalized?: string };
const urlCases: UrlCase[] = siteUrls.cases;
const keyCases: KeyCase[] = licenseKeys.cases;

const canonicalInPanel = (input: string): string | null => {
  const result = canonicalSiteUrl(input);
  return result.ok ? result.canonical : null;
};

/** Draws random inputs. A failure message should contain `seed`, so that the run can be repeated. */
function drawSamples(arbitrary: fc.Arbitrary<string>): { seed: string; inputs: string[] } {
  const seed = Date.now() % 2 ** 31;
  return { seed: `seed ${seed}`, inputs: fc.sample(arbitrary, { numRuns: 2000, seed }) };
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
    it('matches all test vectors', async () => {
      const results = await callInPhp(
        'canonical',
        urlCases.map(({ input }) => input),
        environment,
      );
      expect(results).toEqual(urlCases.map(({ canonical }) => canonical ?? null));
    });

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

    it('refuses invalid UTF-8 without a notice', async () => {
      const broken = ['\xff', 'a\xc3', '\xed\xa0\x80', '\xc0\xaf', '\xf5\x80\x80\x80'];
      const inputs = broken.flatMap((bytes) =>
        [bytes, `https://${bytes}.de`, `https://a.de/${bytes}`].map((text) =>
          Buffer.from(text, 'latin1'),
        ),
      );
      const results = await callInPhp('canonical', inputs, environment);
      expect(results).toEqual(inputs.map(() => null));
    });
  });
}

describe('Site_Url::canonical without extensions', () => {
  it('accepts lower-case hosts and refuses upper-case hosts without mbstring', async () => {
    const inputs = ['https://bücher.de', 'https://BÜCHER.de'];
    const results = await callInPhp('canonical', inputs, WITHOUT_MBSTRING);
    expect(results).toEqual(['xn--bcher-kva.de', null]);
  });

  it('refuses non-ASCII hosts without any encoder, but accepts their ASCII form', async () => {
    const inputs = ['https://bücher.de', 'https://xn--bcher-kva.de', 'https://a.de/bücher'];
    const results = await callInPhp('canonical', inputs, WITHOUT_ANY);
    expect(results).toEqual([null, 'xn--bcher-kva.de', 'a.de/b%C3%BCcher']);
  });
});

describe('License_Key', () => {
  it('matches all test vectors', async () => {
    const results = await callInPhp(
      'normalize',
      keyCases.map(({ input }) => input),
    );
    expect(results).toEqual(keyCases.map(({ normalized }) => normalized ?? null));
  });

  it('agrees with the panel on mistyped keys', async () => {
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

  it('refuses invalid UTF-8 without a notice', async () => {
    expect(await callInPhp('normalize', [Buffer.from('STWD\xff', 'latin1')])).toEqual([null]);
  });

  it('shows only the last six characters of a key', async () => {
    const masked = await callInPhp('masked', ['STWD-M9S346Q-3D25VT4-F5V37E3-S3E28JD']);
    expect(masked).toEqual(['…3E28JD']);
  });
});
