import { Engine } from 'php-parser';

/** A node of the parser. Its other properties depend on its kind. */
export type PhpNode = { kind: string; loc: Span; [property: string]: unknown };
export type PhpComment = { value: string; loc: Span };
type Position = { line: number; offset: number };
type Span = { start: Position; end: Position };

export type PhpSource = { code: string; nodes: PhpNode[]; comments: PhpComment[] };

/** Throws on syntax that is not valid in PHP 7.4, as far as the parser detects it. */
export function parsePhp74(code: string, filename: string): PhpSource {
  const engine = new Engine({
    parser: { version: '7.4', extractDoc: true },
    ast: { withPositions: true },
  });
  const program: unknown = engine.parseCode(code, filename);
  const { comments } = program as { comments: PhpComment[] };
  return { code, nodes: [...iterateNodes(program)], comments };
}

function* iterateNodes(value: unknown): Generator<PhpNode> {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) yield value;
  for (const [property, inner] of Object.entries(value)) {
    if (!COMMENT_PROPERTIES.includes(property)) yield* iterateNodes(inner);
  }
}

const COMMENT_PROPERTIES = ['comments', 'leadingComments', 'trailingComments'];

export function isNode(value: unknown): value is PhpNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Returns `_n` for `\_n( … )`, and undefined for methods and other nodes. */
export function calledFunction({ kind, what }: PhpNode): string | undefined {
  if (kind !== 'call' || !isNode(what) || what.kind !== 'name') return undefined;
  return String(what.name).replace(/^\\/, '');
}
