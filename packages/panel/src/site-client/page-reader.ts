import type { BodyReader, ResponseBody } from './exchange.ts';

/** The properties of a page that a page check needs. */
export type PageFacts = { hasFatalError: boolean; hasEnd: boolean };

/** PHP prints this with status 200 if `display_errors` is on. */
export const FATAL_ERROR = /<b>(?:Fatal|Parse) error<\/b>|[\r\n]PHP (?:Fatal|Parse) error/;
export const PAGE_END = '</html>';
/** Characters kept from the previous chunk: longer than any match, which may span two chunks. */
export const OVERLAP = 64;

/** Searches a page chunk by chunk without storing it: pages may be larger than API responses. */
export const pageReader: BodyReader<PageFacts> = {
  maxBytes: 5 * 1024 * 1024,
  async read(body: ResponseBody) {
    const facts = { hasFatalError: false, hasEnd: false };
    let previous = '\n';
    for await (const chunk of body.setEncoding('utf8')) {
      const text = previous + chunk;
      facts.hasFatalError ||= FATAL_ERROR.test(text);
      facts.hasEnd ||= text.includes(PAGE_END);
      previous = text.slice(-OVERLAP);
    }
    return facts;
  },
};
