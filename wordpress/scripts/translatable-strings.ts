import { calledFunction, isNode, type PhpNode, type PhpSource, parsePhp74 } from './php-source.ts';
import { phpFiles, readPluginFile } from './plugin-files.ts';

export type Translatable = {
  text: string;
  plural?: string;
  context?: string;
  /** The text of a `translators:` comment. */
  hint?: string;
  /** Without a line number, because every added line would change the .pot file. */
  file: string;
};

type Signature = { plural?: number; context?: number; domain: number };

/** The argument positions of each function. The text is always first. */
const SIGNATURES: Record<string, Signature> = {
  __: { domain: 1 },
  _e: { domain: 1 },
  esc_html__: { domain: 1 },
  esc_html_e: { domain: 1 },
  esc_attr__: { domain: 1 },
  esc_attr_e: { domain: 1 },
  _x: { context: 1, domain: 2 },
  _ex: { context: 1, domain: 2 },
  esc_html_x: { context: 1, domain: 2 },
  esc_attr_x: { context: 1, domain: 2 },
  _n: { plural: 1, domain: 3 },
  _nx: { plural: 1, context: 3, domain: 4 },
  _n_noop: { plural: 1, domain: 2 },
  _nx_noop: { plural: 1, context: 2, domain: 3 },
};
const TEXT_DOMAIN = 'steward';

/** Throws on a call that cannot be translated, for example with a text that is not literal. */
export function translatableStrings(): Translatable[] {
  return phpFiles().flatMap((path) => extractStrings(readPluginFile(path), path));
}

export function extractStrings(code: string, path: string): Translatable[] {
  const source = parsePhp74(code, path);
  return source.nodes
    .filter((node) => Object.hasOwn(SIGNATURES, calledFunction(node) ?? ''))
    .sort((one, other) => one.loc.start.offset - other.loc.start.offset)
    .map((call) => toTranslatable(call, source, path));
}

function toTranslatable(call: PhpNode, source: PhpSource, path: string): Translatable {
  const name = calledFunction(call) ?? '';
  const signature = SIGNATURES[name];
  const args: unknown[] = Array.isArray(call.arguments) ? call.arguments : [];
  const location = `${path}:${call.loc.start.line}`;
  const literal = (index: number): string => {
    const argument = args[index];
    if (isNode(argument) && argument.kind === 'string') return String(argument.value);
    throw new Error(`${location}: argument ${index + 1} of ${name}() is not a literal string.`);
  };

  if (!signature || args.length !== signature.domain + 1) {
    throw new Error(`${location}: ${name}() has too few or too many arguments.`);
  }
  if (literal(signature.domain) !== TEXT_DOMAIN) {
    throw new Error(`${location}: the text domain of ${name}() is not ${TEXT_DOMAIN}.`);
  }
  const hint = findHint(call, source);
  return {
    text: literal(0),
    ...(signature.plural !== undefined && { plural: literal(signature.plural) }),
    ...(signature.context !== undefined && { context: literal(signature.context) }),
    ...(hint !== undefined && { hint }),
    file: path,
  };
}

/** Reads the comment on the line of the call or the line above, as WordPress's own tools do. */
function findHint(call: PhpNode, { comments }: PhpSource): string | undefined {
  const { line, offset } = call.loc.start;
  return comments
    .filter(({ loc }) => loc.start.offset < offset)
    .filter(({ loc, value }) => line - lastLine(loc.start.line, value) <= 1)
    .map(({ value }) => /^(?:\/\*+|\/\/|#)\s*(translators:.*?)\s*(?:\*\/)?\s*$/is.exec(value)?.[1])
    .findLast((hint) => hint !== undefined)
    ?.replace(/\s*\n\s*\*?\s*/g, ' ');
}

function lastLine(firstLine: number, comment: string): number {
  return firstLine + comment.trimEnd().split('\n').length - 1;
}
