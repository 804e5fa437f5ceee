import type { AnswerBody, BodyReader } from './exchange.ts';

/** What a look needs to know of a page. */
export type PageFacts = { hasFatalError: boolean; hasEnd: boolean };

/** As PHP prints it where errors are displayed, which leaves the status at 200. */
const FATAL_ERROR = /<b>(?:Fatal|Parse) error<\/b>|[\r\n]PHP (?:Fatal|Parse) error/;
const END = '</html>';
/** More than the longest of them: one may come in two chunks. */
const OVERLAP = 64;

/** Pages may be larger than answers: they are searched while they come, and not kept. */
export const readPage: BodyReader<PageFacts> = {
  maxBytes: 5 * 1024 * 1024,
  async read(body: AnswerBody) {
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
