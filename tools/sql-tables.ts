/** How a statement uses a table. `locks`: it locks rows until its transaction ends. */
export type TableAccess = 'reads' | 'writes' | 'locks';
export type TableUse = { table: string; access: TableAccess };

const TOKEN = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/|"[^"]+"|[a-z_][\w$]*|[(),.;]/gi;

/** The keywords that precede a table, with what the statement does to it. */
const BEFORE_TABLE: Record<string, TableAccess> = {
  FROM: 'reads',
  JOIN: 'reads',
  USING: 'reads',
  INTO: 'writes',
  UPDATE: 'writes',
  TABLE: 'writes',
  TRUNCATE: 'writes',
  COPY: 'writes',
  LOCK: 'locks',
};
/** Words between such a keyword and the table. */
const FILLERS = ['ONLY', 'TABLE', 'LATERAL', 'IF', 'NOT', 'EXISTS'];
/** In `IS DISTINCT FROM`, `DO UPDATE`, `FOR UPDATE` and `FOR NO KEY UPDATE`, no table follows. */
const NO_TABLE_AFTER: Record<string, string[]> = {
  FROM: ['DISTINCT'],
  UPDATE: ['DO', 'FOR', 'KEY', 'OR', 'BEFORE', 'AFTER'],
};
/** Keywords that can be followed by several tables, such as `FROM a, b`. */
const WITH_LIST = ['FROM', 'USING', 'TABLE', 'TRUNCATE', 'LOCK'];
/** The words that end a list of tables. */
const LIST_ENDS =
  'WHERE GROUP HAVING ORDER LIMIT OFFSET WINDOW UNION EXCEPT INTERSECT RETURNING SET SELECT VALUES FOR ON'.split(
    ' ',
  );
const LOCKS = /\bFOR\s+(?:(?:NO\s+KEY\s+)?UPDATE|(?:KEY\s+)?SHARE)\b/i;

/** The tables of one SELECT, which a row lock at its end covers. */
type Frame = {
  expects: TableAccess | null;
  /** What follows a comma, while the statement lists tables. */
  inList: TableAccess | null;
  read: { table: string; alias: string }[];
};
const newFrame = (expects: TableAccess | null = null): Frame => ({
  expects,
  inList: null,
  read: [],
});

/**
 * Finds the tables that a statement, or a part of one, names where SQL expects a table. Names that are not in `known`
 * are ignored: they can be functions, or names from a WITH clause. A name from a WITH clause must differ from all tables.
 */
export function findTablesInSql(text: string, known: ReadonlySet<string>): TableUse[] {
  // A part of a statement can be a table with its alias alone.
  const [, table = ''] = /^[\s,]*"?(\w+)"?\s+(?:AS\s+)?\w+\s*$/i.exec(text) ?? [];
  if (known.has(table)) return [{ table, access: 'reads' }];
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !/^('|--|\/\*)/.test(token));
  const uses: TableUse[] = [];
  const frames = [newFrame()];
  tokens.forEach((token, index) => {
    const frame = frames.at(-1) ?? newFrame();
    const word = token.toUpperCase();
    const previous = tokens[index - 1]?.toUpperCase() ?? '';
    if (token === '(') {
      // `JOIN … USING (column)` names no table, `FROM (a JOIN b)` does.
      frames.push(newFrame(previous === 'USING' ? null : frame.expects));
      frame.expects = null;
    } else if (token === ')') {
      if (frames.length > 1) frames.pop();
    } else if (token === ';') {
      frames.splice(0, frames.length, newFrame());
    } else if (token === ',') {
      frame.expects = frame.inList;
    } else if (word in BEFORE_TABLE && !NO_TABLE_AFTER[word]?.includes(previous)) {
      const isDeletion = word === 'FROM' && previous === 'DELETE';
      if (!(word === 'TABLE' && frame.expects)) {
        frame.expects = isDeletion ? 'writes' : (BEFORE_TABLE[word] ?? null);
      }
      if (word !== 'JOIN') frame.inList = WITH_LIST.includes(word) ? frame.expects : null;
    } else if (LIST_ENDS.includes(word)) {
      if (word !== 'ON') frame.inList = null;
      frame.expects = null;
      if (word === 'FOR') uses.push(...findLocked(frame, tokens.slice(index)));
    } else if (frame.expects && !FILLERS.includes(word) && token !== '.') {
      // A name of another schema, such as pgboss.job, is followed by its table.
      if (tokens[index + 1] === '.') return;
      const schema = previous === '.' ? tokens[index - 2]?.replaceAll('"', '') : 'public';
      const table = token.replaceAll('"', '').toLowerCase();
      if (schema === 'public' && known.has(table)) {
        uses.push({ table, access: frame.expects });
        if (frame.expects === 'reads') frame.read.push({ table, alias: findAlias(tokens, index) });
      }
      frame.expects = null;
    }
  });
  return uses;
}

function findAlias(tokens: string[], index: number): string {
  const [next = '', afterNext = ''] = tokens.slice(index + 1);
  const alias = next.toUpperCase() === 'AS' ? afterNext : next;
  return /^\w+$/.test(alias) ? alias.toLowerCase() : '';
}

/** `FOR UPDATE` locks the rows of all tables, `FOR UPDATE OF a` those of one. */
function findLocked({ read }: Frame, rest: string[]): TableUse[] {
  if (!LOCKS.test(rest.slice(0, 4).join(' '))) return [];
  const of = rest.slice(0, 5).findIndex((token) => token.toUpperCase() === 'OF');
  const names = rest.slice(of + 1).map((token) => token.toLowerCase());
  const locked = of < 0 ? read : read.filter(({ table, alias }) => isListed(names, [table, alias]));
  return locked.map(({ table }) => ({ table, access: 'locks' }));
}

/** Whether a list such as `a, b` at the start of the tokens contains one of the names. */
function isListed(tokens: string[], names: string[]): boolean {
  const end = tokens.findIndex((token, index) => index % 2 === 1 && token !== ',');
  return tokens.slice(0, end < 0 ? undefined : end).some((token) => names.includes(token));
}
