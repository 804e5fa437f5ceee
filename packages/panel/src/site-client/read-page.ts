import type { BodyReader, ResponseBody } from './exchange.ts';

/** The facts that a page check needs. */
export type PageFacts = { hasFatalError: boolean; hasEnd: boolean };

/** PHP prints this where errors are displayed, and keeps status 200. */
const FATAL_ERROR = /<b>(?:Fatal|Parse) error<\/b>|[\r\n]PHP (?:Fatal|Parse) error/;
const END = '</html>';
/** Longer than any match, which may span two chunks. */
const OVERLAP = 64;

/** Searches a page chunk by chunk without storing it: pages may be larger than API responses. */
export const readPage: BodyReader<PageFacts> = {
  maxBytes: 5 * 1024 * 1024,
  async read(body: ResponseBody) {
    const facts = { hasFatalError: false, hasEnd: false };
    let before = '\n';
    for await (const chunk of body.setEncoding('utf8')) {
      const text = before + chunk;
      facts.hasFatalError ||= FATAL_ERROR.test(text);
      facts.hasEnd ||= text.includes(END);
      before = text.slice(-OVERLAP);
    }
    return facts;
  },
};
