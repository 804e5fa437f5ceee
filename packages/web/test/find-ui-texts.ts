import { parseSync } from 'vite';

/** Attributes and properties whose value users read. */
const TEXT_PROPS = new Set([
  'aria-label',
  'cancelLabel',
  'confirmLabel',
  'description',
  'error',
  'hint',
  'label',
  'message',
  'name',
  'note',
  'nothingFound',
  'nothingFoundMessage',
  'placeholder',
  'submitLabel',
  'tabTitle',
  'title',
  'entity',
]);
/** Attributes and properties whose value may contain spaces, but is not text. */
const CODE_PROPS = new Set(['className', 'd', 'fontFamily', 'fontFamilyMonospace', 'viewBox']);
const MEDIA_QUERY = /^\(m(?:ax|in)-width: \d+px\)$/;
const TWO_WORDS = /\p{L}{2,}\S*\s+\S*\p{L}/u;
const LETTER = /\p{L}/u;

type Node = { type: string; start: number; [name: string]: unknown };
/** `prop`: the value of an attribute or property of this name. `child`: the content of an element. */
type Place = { kind: 'prop'; name: string } | { kind: 'child' } | { kind: 'other' };

const OTHER: Place = { kind: 'other' };

/**
 * Finds string literals in a source file that users would read, in attributes, expressions and calls. Biome's
 * `noJsxLiterals` finds the plain text in JSX.
 */
export function findUiTexts(path: string, source: string): string[] {
  const found: string[] = [];
  visit(parseSync(path, source).program as unknown as Node, OTHER);
  return found;

  function visit(node: Node, place: Place): void {
    const text = textOf(node);
    if (text !== null) {
      if (isUiText(text, place)) found.push(`${path}:${lineOf(source, node.start)} ${text.trim()}`);
      return;
    }
    for (const [key, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) visitChild(node, key, child, place);
      }
    }
  }

  function visitChild(parent: Node, key: string, child: Node, place: Place): void {
    if (isIgnored(parent, key)) return;
    visit(child, placeOf(parent, key, place));
  }
}

/** True for module names, types, comparisons and errors for developers. */
function isIgnored({ type, callee }: Node, key: string): boolean {
  if (/^(Import|Export\w*From|ExportAll|TS(?!As|Satisfies|NonNull))/.test(type)) return true;
  if (type === 'ImportDeclaration' || key === 'source') return true;
  if (type === 'BinaryExpression' || type === 'SwitchCase') return key !== 'consequent';
  return type === 'NewExpression' && (callee as Node).name === 'Error' && key === 'arguments';
}

function placeOf(parent: Node, key: string, place: Place): Place {
  switch (parent.type) {
    case 'JSXAttribute':
      return { kind: 'prop', name: String((parent.name as Node).name) };
    case 'Property': {
      const { name, value } = parent.key as Node;
      return key === 'value' ? { kind: 'prop', name: String(name ?? value) } : OTHER;
    }
    case 'JSXElement':
    case 'JSXFragment':
      return key === 'children' ? { kind: 'child' } : OTHER;
    case 'ConditionalExpression':
      return key === 'test' ? OTHER : place;
    case 'JSXExpressionContainer':
    case 'LogicalExpression':
    case 'TemplateLiteral':
    case 'TSAsExpression':
      return place;
    default:
      return OTHER;
  }
}

function isUiText(text: string, place: Place): boolean {
  if (place.kind === 'prop' && CODE_PROPS.has(place.name)) return false;
  if (place.kind === 'child') return LETTER.test(text);
  if (place.kind === 'prop' && TEXT_PROPS.has(place.name)) return LETTER.test(text);
  return TWO_WORDS.test(text) && !MEDIA_QUERY.test(text);
}

function textOf({ type, value }: Node): string | null {
  if (type === 'Literal') return typeof value === 'string' ? value : '';
  return type === 'TemplateElement' ? String((value as { cooked: string | null }).cooked) : null;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

const lineOf = (source: string, offset: number): number =>
  source.slice(0, offset).split('\n').length;
