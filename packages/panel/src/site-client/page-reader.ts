import type { BodyReader } from './exchange.ts';

/** `hasEnd`: the page has its closing tag. */
export type PageFacts = { bytes: number; hasFatalError: boolean; hasEnd: boolean };

/** PHP prints this with status 200 if `display_errors` is on. */
export const FATAL_ERROR = /<b>(?:Fatal|Parse) error<\/b>|[\r\n]PHP (?:Fatal|Parse) error/;
const PAGE_END = '</html>';
/** Characters kept from the previous chunk: longer than any match, which may span two chunks. */
const OVERLAP = 64;

/** Searches a page chunk by chunk without storing it. Reads a larger page only up to `maxBytes`; it then counts as complete. */
export function createPageReader(maxBytes: number): BodyReader<PageFacts> {
  return {
    // Turns off the limit of undici, which would fail for a large page. This reader just stops reading.
    maxBytes: -1,
    async read(body) {
      const page = { bytes: 0, hasFatalError: false, hasEnd: false };
      let previous = '\n';
      for await (const chunk of body.setEncoding('utf8')) {
        const text: string = previous + chunk;
        page.bytes += Buffer.byteLength(chunk);
        page.hasFatalError ||= FATAL_ERROR.test(text);
        page.hasEnd ||= text.includes(PAGE_END);
        previous = text.slice(-OVERLAP);
        if (page.bytes >= maxBytes) return { ...page, hasEnd: true };
      }
      return page;
    },
  };
}
