import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../vectors/site-urls.json' with { type: 'json' };
import { canonicalSiteUrl, isUncountedHost } from './index.ts';

type UrlCase = { input: string; canonical?: string; counted?: boolean; refused?: string };
const cases: UrlCase[] = vectors.cases;
const shown = (input: string) => JSON.stringify(input.slice(0, 60));

describe('canonicalSiteUrl', () => {
  it('has at least 60 test vectors', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  for (const { input, canonical, counted, refused } of cases) {
    if (refused !== undefined) {
      it(`refuses ${shown(input)}: ${refused}`, () => {
        expect(canonicalSiteUrl(input)).toMatchObject({ ok: false });
      });
      continue;
    }
    it(`converts ${shown(input)} to ${canonical}, ${counted ? 'counted' : 'not counted'}`, () => {
      const result = canonicalSiteUrl(input);
      expect(result).toMatchObject({ ok: true, canonical });
      if (result.ok) expect(isUncountedHost(result.host)).toBe(!counted);
    });
  }

  it('keeps scheme, www and port in the origin', () => {
    expect(canonicalSiteUrl('http://WWW.Example.com:8080/x')).toMatchObject({
      origin: 'http://www.example.com:8080',
    });
  });

  it('keeps the address as given, but no password, query or fragment', () => {
    expect(canonicalSiteUrl(' https://me:secret@Example.com/Blog/?x#y ')).toMatchObject({
      given: 'https://Example.com/Blog/',
    });
    // Not every regular expression finds the end of a text with a line separator.
    expect(canonicalSiteUrl('https://example.com/?token=secret\u2028')).toMatchObject({
      given: 'https://example.com/',
    });
  });

  it('leaves an @ in the path where it is', () => {
    expect(canonicalSiteUrl('https://example.com/@me')).toMatchObject({
      canonical: 'example.com/@me',
      given: 'https://example.com/@me',
    });
  });

  it('refuses an unpaired surrogate', () => {
    expect(canonicalSiteUrl('https://example.com/\ud800')).toMatchObject({ ok: false });
  });

  it('is idempotent for any input', () => {
    const text = fc.oneof(fc.webUrl({ withFragments: true }), fc.string(), fc.domain());
    fc.assert(
      fc.property(text, (input) => {
        const once = canonicalSiteUrl(input);
        if (once.ok) expect(canonicalSiteUrl(once.canonical)).toMatchObject(sameSite(once));
      }),
    );
  });
});

function sameSite({ canonical, host }: { canonical: string; host: string }) {
  return { ok: true, canonical, host };
}
