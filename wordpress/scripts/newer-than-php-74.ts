import { calledFunction, isNode, type PhpNode, parsePhp74 } from './php-source.ts';

const NEWER_TYPES = ['mixed', 'never', 'static', 'false', 'null', 'true'];

/** Functions added since PHP 8.0 that have no polyfill in WordPress 5.9. */
const NEWER_FUNCTIONS = [
  ...['fdiv', 'get_debug_type', 'get_resource_id', 'preg_last_error_msg'],
  ...['array_is_list', 'enum_exists', 'fdatasync', 'fsync'],
  ...['ini_parse_quantity', 'json_validate', 'mb_str_pad', 'str_decrement', 'str_increment'],
  ...['array_all', 'array_any', 'array_find', 'array_find_key', 'array_first', 'array_last'],
  ...['mb_lcfirst', 'mb_ltrim', 'mb_rtrim', 'mb_trim', 'mb_ucfirst'],
];

/** Describes the first code that PHP 7.4 does not support, or returns null. */
export function newerThanPhp74(code: string, filename = 'sample.php'): string | null {
  try {
    const { nodes, comments } = parsePhp74(code, filename);
    // PHP 7.4 reads attributes as comments, so they would silently have no effect.
    const attribute = comments.find(({ value }) => value.startsWith('#['));
    if (attribute) return `an attribute on line ${attribute.loc.start.line}`;
    for (const node of nodes) {
      const reason = describeNewerSyntax(node);
      if (reason) return `${reason} on line ${node.loc.start.line}`;
    }
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Finds newer syntax that the parser accepts despite its version setting. */
function describeNewerSyntax(node: PhpNode): string | null {
  const { kind } = node;
  if (node.readonly === true || node.isReadonly === true) return 'readonly';
  if (kind === 'parameter' && node.flags !== 0) return 'constructor promotion';
  if (kind === 'parameter' && isNode(node.value) && node.value.kind === 'new') {
    return 'new as a default';
  }
  if (kind === 'uniontype') return 'a union type';
  if (isNode(node.type) && NEWER_TYPES.includes(String(node.type.name).toLowerCase())) {
    return `the type ${node.type.name}`;
  }
  if (kind === 'number' && /^0o/i.test(String(node.value))) return 'an octal number with 0o';
  if (kind === 'staticlookup' && isClassOfObject(node)) return '::class of an object';
  if (kind === 'trait' && hasConstant(node)) return 'a constant in a trait';
  const called = calledFunction(node);
  return called !== undefined && NEWER_FUNCTIONS.includes(called) ? `${called}()` : null;
}

function isClassOfObject({ what, offset }: PhpNode): boolean {
  const isClass = isNode(offset) && offset.kind === 'identifier' && offset.name === 'class';
  return isClass && isNode(what) && what.kind === 'variable';
}

function hasConstant({ body }: PhpNode): boolean {
  return Array.isArray(body) && body.some((each) => isNode(each) && each.kind === 'classconstant');
}
