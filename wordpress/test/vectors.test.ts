import { canonicalSiteUrl, normalizeLicenseKey } from '@steward/contract';
import licenseKeys from '@steward/contract/vectors/license-keys.json' with { type: 'json' };
import siteUrls from '@steward/contract/vectors/site-urls.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiAddress, foreignAddress } from './support/odd-addresses.ts';
import {
  inPhp,
  surroundingsHere,
  WITHOUT_ANY,
  WITHOUT_INTL,
  WITHOUT_MBSTRING,
} from './support/plugin-in-php.ts';

type UrlCase = { input: string; canonical?: string };
type KeyCase = { input: string; normalized?: string };
const urlCases: UrlCase[] = siteUrls.cases;
const keyCases: KeyCase[] = licenseKeys.cases;

const atThePanel = (input: string): string | null => {
  const result = canonicalSiteUrl(input);
  return result.ok ? result.canonical : null;
};

/** The seed is for running what failed once more. */
function drawn(arbitrary: fc.Arbitrary<string>): { seed: string; inputs: string[] } {
  const seed = Date.now() % 2 ** 31;
  return { seed: `seed ${seed}`, inputs: fc.sample(arbitrary, { numRuns: 2000, seed }) };
}

type Difference = { input: string; plugin: string | null; panel: string | null };

function differences(inputs: string[], results: (string | null)[]): Difference[] {
  return inputs
    .map((input, at) => ({ input, plugin: results[at] ?? null, panel: atThePanel(input) }))
    .filter(({ plugin, panel }) => plugin !== panel);
}

function everyCharacter(): string[] {
  const all = Array.from({ length: 0x10000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80));
  return all.filter((character) => character.isWellFormed());
}

for (const surroundings of await surroundingsHere()) {
  describe(`Site_Url::canonical ${surroundings.name}`, () => {
    it('passes all golden cases', async () => {
      const results = await inPhp(
        'canonical',
        urlCases.map(({ input }) => input),
        surroundings,
      );
      expect(results).toEqual(urlCases.map(({ canonical }) => canonical ?? null));
    });

    it('agrees with the panel on whatever has an ASCII host', async () => {
      const { inputs, seed } = drawn(asciiAddress);
      const results = await inPhp('canonical', inputs, surroundings);
      expect(differences(inputs, results), seed).toEqual([]);
    });

    // What WordPress's encoder lacks, no server without intl can know: there a refusal is enough.
    const isExact = surroundings !== WITHOUT_INTL;
    it(`agrees with the panel on other hosts${isExact ? '' : ', or refuses'}`, async () => {
      const { inputs, seed } = drawn(foreignAddress);
      const differing = differences(inputs, await inPhp('canonical', inputs, surroundings));
      const wrong = differing.filter(({ plugin }) => isExact || plugin !== null);
      expect(wrong, seed).toEqual([]);
    });

    it('never gives another name to a host than the panel, whatever character is in it', async () => {
      for (const around of ['https://a?b.de/?', 'https://?.de', 'b?']) {
        const inputs = everyCharacter().map((character) => around.replaceAll('?', character));
        const differing = differences(inputs, await inPhp('canonical', inputs, surroundings));
        expect(differing.filter(({ plugin }) => plugin !== null)).toEqual([]);
      }
    });

    it('gives no notice at bytes that are no UTF-8', async () => {
      const broken = ['\xff', 'a\xc3', '\xed\xa0\x80', '\xc0\xaf', '\xf5\x80\x80\x80'];
      const inputs = broken.flatMap((bytes) =>
        [bytes, `https://${bytes}.de`, `https://a.de/${bytes}`].map((text) =>
          Buffer.from(text, 'latin1'),
        ),
      );
      const results = await inPhp('canonical', inputs, surroundings);
      expect(results).toEqual(inputs.map(() => null));
    });
  });
}

describe('Site_Url::canonical where more is missing', () => {
  it('reads lower case without mbstring, and refuses what it cannot make lower case', async () => {
    const inputs = ['https://bücher.de', 'https://BÜCHER.de'];
    const results = await inPhp('canonical', inputs, WITHOUT_MBSTRING);
    expect(results).toEqual(['xn--bcher-kva.de', null]);
  });

  it('refuses them where nothing can encode them, but not their ASCII form', async () => {
    const inputs = ['https://bücher.de', 'https://xn--bcher-kva.de', 'https://a.de/bücher'];
    const results = await inPhp('canonical', inputs, WITHOUT_ANY);
    expect(results).toEqual([null, 'xn--bcher-kva.de', 'a.de/b%C3%BCcher']);
  });
});

describe('License_Key', () => {
  it('passes all golden cases', async () => {
    const results = await inPhp(
      'normalize',
      keyCases.map(({ input }) => input),
    );
    expect(results).toEqual(keyCases.map(({ normalized }) => normalized ?? null));
  });

  it('agrees with the panel on keys typed oddly', async () => {
    const keys = keyCases.flatMap(({ normalized }) => normalized ?? []);
    const space = fc.string({
      unit: fc.constantFrom(' ', '\t', '\v', '\n', '\u00a0', '\ufeff', '\u0085', '\u2003', 'é'),
      maxLength: 45,
    });
    const slip = fc.constantFrom('', '', '', '-', ' ', '\t', 'O', 'l', '*');
    const typed = fc
      .tuple(space, fc.constantFrom(...keys), fc.nat(36), slip, fc.boolean(), space)
      .map(([before, key, at, inserted, isLower, after]) => {
        const slipped = key.slice(0, at) + inserted + key.slice(at);
        return before + (isLower ? slipped.toLowerCase() : slipped) + after;
      });
    const { inputs, seed } = drawn(fc.oneof(typed, fc.string()));
    const results = await inPhp('normalize', inputs);
    expect(results, seed).toEqual(inputs.map(normalizeLicenseKey));
  });

  it('refuses bytes that are no UTF-8 without a notice', async () => {
    expect(await inPhp('normalize', [Buffer.from('STWD\xff', 'latin1')])).toEqual([null]);
  });

  it('shows only the last six characters of a key', async () => {
    const masked = await inPhp('masked', ['STWD-M9S346Q-3D25VT4-F5V37E3-S3E28JD']);
    expect(masked).toEqual(['…3E28JD']);
  });
});
