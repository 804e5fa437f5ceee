import { parseSync } from 'rolldown/utils';
import { findTablesInSql, type TableAccess, type TableUse } from './sql-tables.ts';

const PANEL = 'packages/panel/src';

/** The builder methods of Kysely that take a table. */
const BUILDERS: Record<string, TableAccess> = {
  ...Object.fromEntries(
    [
      'selectFrom',
      'from',
      'using',
      'innerJoin',
      'leftJoin',
      'rightJoin',
      'fullJoin',
      'crossJoin',
    ].map((name) => [name, 'reads' as const]),
  ),
  insertInto: 'writes',
  replaceInto: 'writes',
  updateTable: 'writes',
  deleteFrom: 'writes',
  mergeInto: 'writes',
};
const LOCKING = ['forUpdate', 'forNoKeyUpdate', 'forShare', 'forKeyShare'];

/**
 * Finds code that uses the table of another feature. A feature may write its own tables, and read these and what its
 * `database.ts` imports from the `tables.ts` of others. TypeScript checks the columns; this checks the writes, the row
 * locks and the statements in texts. `sources` maps paths from the project root to source code.
 */
export function findTableProblems(sources: ReadonlyMap<string, string>): string[] {
  const panel = [...sources].filter(
    ([file]) => file.startsWith(`${PANEL}/`) && !file.endsWith('.test.ts'),
  );
  const programs = new Map(panel.map(([file, source]) => [file, parse(file, source)]));
  const { owners, published, problems } = readDeclarations(programs);
  const known = new Set(owners.keys());
  for (const [file, program] of programs) {
    const room = roomOf(file);
    const readable = findReadable(programs, room, published);
    problems.push(...findForeignImports(file, program, published));
    for (const { table, access } of findUses(program, known)) {
      const owner = owners.get(table);
      if (room === owner || (access === 'reads' && readable.has(table))) continue;
      problems.push(`${file} ${access} the table ${table} of ${owner}. ${ADVICE[access]}`);
    }
  }
  return [...new Set(problems)];
}

/** Returns the owner of each table. */
export const listOwners = (sources: ReadonlyMap<string, string>): Map<string, string> =>
  readDeclarations(new Map([...sources].map(([file, source]) => [file, parse(file, source)])))
    .owners;

const ADVICE: Record<TableAccess, string> = {
  reads:
    'Call a query function of the owner, or publish the table in its tables.ts and import that in database.ts.',
  writes: 'Only the owner writes it. Call a function of the owner.',
  locks:
    "Only the owner locks its rows. Call a function of the owner, or lock only an own table: forUpdate('alias').",
};

type Node = { type: string; [key: string]: unknown };

function parse(file: string, source: string): Node {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  return program as unknown as Node;
}

/** The feature of a file; otherwise the folder, such as platform or commands. */
function roomOf(file: string): string {
  const [first = '', second = ''] = file.slice(PANEL.length + 1).split('/');
  return first === 'features' ? second : first;
}

/** Reads who owns which table, and what is published, from the types in the files `tables.ts`. */
function readDeclarations(programs: ReadonlyMap<string, Node>) {
  const owners = new Map<string, string>();
  const published = new Map<string, string[]>();
  const problems: string[] = [];
  for (const [file, program] of programs) {
    if (!/\/(features\/[^/]+|platform\/database)\/tables\.ts$/.test(file)) continue;
    for (const { name, members } of listTypes(program)) {
      if (name.startsWith('Published')) {
        published.set(name, members);
      } else if (name.endsWith('Tables')) {
        if (members.length === 0) problems.push(`${file}: ${name} must list its tables.`);
        for (const table of members) {
          if (owners.has(table)) problems.push(`${file}: the table ${table} has two owners.`);
          owners.set(table, roomOf(file));
        }
      }
    }
  }
  return { owners, published, problems };
}

function listTypes(program: Node): { name: string; members: string[] }[] {
  return [...walk(program)]
    .filter(({ type }) => type === 'TSTypeAliasDeclaration')
    .map((node) => {
      const { members = [] } = node.typeAnnotation as { members?: { key: { name: string } }[] };
      return {
        name: (node.id as { name: string }).name,
        members: members.map(({ key }) => key.name),
      };
    });
}

/** The tables that other features publish and that `database.ts` of this feature imports. */
function findReadable(
  programs: ReadonlyMap<string, Node>,
  room: string,
  published: ReadonlyMap<string, string[]>,
): Set<string> {
  const program = programs.get(`${PANEL}/features/${room}/database.ts`);
  const names = [...(program ? walk(program) : [])]
    .filter(({ type }) => type === 'ImportSpecifier')
    .map((node) => (node.imported as { name: string }).name);
  return new Set(names.flatMap((name) => published.get(name) ?? []));
}

/** Only `database.ts` opens tables: its own ones, and those that another feature publishes. */
function findForeignImports(
  file: string,
  program: Node,
  published: ReadonlyMap<string, string[]>,
): string[] {
  if (roomOf(file) === 'platform' || file === `${PANEL}/tables.ts`) return [];
  const isDatabase = file.endsWith('/database.ts');
  return [...walk(program)]
    .filter(({ type }) => type === 'ImportDeclaration')
    .flatMap((node) => {
      const source = (node.source as { value: string }).value;
      const names = (node.specifiers as { imported?: { name: string } }[]).flatMap(
        ({ imported }) => imported?.name ?? [],
      );
      const forbidden = names.filter((name) =>
        name === 'openTables'
          ? !isDatabase
          : isDatabase && /^\.\.\/[^.].*\/tables\.ts$/.test(source) && !published.has(name),
      );
      return forbidden.map((name) => `${file} must not import ${name}. ${OPENS}`);
    });
}

const OPENS = 'Only database.ts opens tables: those of its feature, and what others publish.';

function findUses(program: Node, known: ReadonlySet<string>): TableUse[] {
  return [...walk(program)].flatMap((node) => {
    const text = readSql(node);
    if (text !== null) return findTablesInSql(text, known);
    if (node.type !== 'CallExpression') return [];
    if (LOCKING.includes(methodOf(node))) return findLockedByBuilder(node, program, known);
    return findInCall(node, known);
  });
}

function findInCall(call: Node, known: ReadonlySet<string>): TableUse[] {
  const method = methodOf(call);
  const access = BUILDERS[method];
  // The use of a table that is named in this way is not known, so only the owner may do it.
  const isSqlName = (method === 'table' || method === 'id') && isSql(objectOf(call));
  if (!access && !isSqlName) return [];
  return namesIn(call)
    .filter(({ table }) => known.has(table))
    .map(({ table }) => ({ table, access: access ?? 'writes' }));
}

/**
 * Finds the tables of the query whose rows are locked: in the chain of calls, in the function of this file that built the
 * query, otherwise in the functions around it. `forUpdate('s')` locks only the rows of one table.
 */
function findLockedByBuilder(lock: Node, program: Node, known: ReadonlySet<string>): TableUse[] {
  const aliases = namesIn(lock).map(({ table }) => table);
  const nodes = [...walk(program)];
  const builder = builderOf(lock);
  const built = nodes.filter((node) => builder && (node.id as Node | undefined)?.name === builder);
  const around = nodes.filter((node) => /Function/.test(node.type) && contains(node, lock));
  for (const scope of [objectOf(lock), ...built, ...around.toReversed()]) {
    const tables = [...walk(scope)]
      .filter((node) => node.type === 'CallExpression' && BUILDERS[methodOf(node)] === 'reads')
      .flatMap(namesIn)
      .filter(({ table, alias }) => known.has(table) && (!aliases[0] || aliases.includes(alias)));
    if (tables.length > 0) return tables.map(({ table }) => ({ table, access: 'locks' }));
  }
  return [];
}

/** The name of the function whose result the chain of calls starts with. */
function builderOf(call: Node): string | undefined {
  const object = objectOf(call);
  if (object?.type === 'CallExpression') return builderOf(object);
  const callee = call.callee as Node;
  return callee.type === 'Identifier' ? (callee.name as string) : undefined;
}

const contains = (outer: Node, inner: Node) =>
  (outer.start as number) <= (inner.start as number) &&
  (outer.end as number) >= (inner.end as number);

/** The tables in the first argument, such as `'sites as s'` or `['sites', 'tags']`. */
function namesIn(call: Node): { table: string; alias: string }[] {
  const [first] = call.arguments as Node[];
  const nodes = first?.type === 'ArrayExpression' ? (first.elements as Node[]) : [first];
  return nodes.flatMap((node) => {
    const name = node && readText(node);
    if (typeof name !== 'string') return [];
    const [table = '', alias = table] = name.split(/\s+as\s+/i);
    return [{ table: table.replace(/^public\./, ''), alias }];
  });
}

/** Returns the text of a template or string with SQL. In code, only keywords in capitals count as SQL. */
function readSql(node: Node): string | null {
  if (node.type === 'TaggedTemplateExpression' && isSql(node.tag as Node)) {
    return joinTemplate(node.quasi as Node);
  }
  if (node.type === 'CallExpression' && ['raw', 'query'].includes(methodOf(node))) {
    const [first] = node.arguments as (Node | undefined)[];
    return first ? readText(first) : null;
  }
  const text = readText(node);
  return text !== null && /\b(FROM|JOIN|INTO|UPDATE|TABLE|TRUNCATE|COPY)\b/.test(text)
    ? text
    : null;
}

function readText(node: Node): string | null {
  if (node.type === 'TemplateLiteral') return joinTemplate(node);
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

const joinTemplate = (template: Node): string =>
  (template.quasis as { value: { cooked: string } }[])
    .map(({ value }) => value.cooked)
    .join(' $1 ');

const isSql = (node: Node | undefined) => node?.type === 'Identifier' && node.name === 'sql';

function methodOf(call: Node): string {
  const callee = call.callee as Node;
  return callee.type === 'MemberExpression' ? ((callee.property as Node).name as string) : '';
}

function objectOf(call: Node): Node | undefined {
  const callee = call.callee as Node;
  return callee.type === 'MemberExpression' ? (callee.object as Node) : undefined;
}

function* walk(node: unknown): Generator<Node> {
  if (Array.isArray(node)) {
    for (const item of node) yield* walk(item);
  } else if (typeof node === 'object' && node !== null) {
    if ('type' in node) yield node as Node;
    for (const value of Object.values(node)) yield* walk(value);
  }
}
