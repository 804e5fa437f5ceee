/** A block of shell commands on a page. A block without a mark is run by docs-commands.test.ts. */
export type ShellBlock = {
  /** The line of its first command on the page. */
  line: number;
  lines: string[];
  mark: { kind: 'not run' | 'run by'; text: string } | null;
};

const OPEN = /^( *)```sh$/;
const MARK = /^ *<!-- (not run:|run by) (.+?) *-->$/;

/** Returns the blocks with the language `sh`, with the mark in the line directly above the fence. */
export function readShellBlocks(page: string): ShellBlock[] {
  const blocks: ShellBlock[] = [];
  const lines = page.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const indent = OPEN.exec(lines[index] ?? '')?.[1];
    if (indent === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, index + 1);
    if (end < 0) throw new Error(`The block in line ${index + 1} has no end.`);
    blocks.push({
      line: index + 2,
      lines: lines.slice(index + 1, end).map((line) => line.slice(indent.length)),
      mark: readMark(lines[index - 1] ?? ''),
    });
    index = end;
  }
  return blocks;
}

function readMark(line: string): ShellBlock['mark'] {
  const [, kind, text = ''] = MARK.exec(line) ?? [];
  return kind ? { kind: kind === 'run by' ? kind : 'not run', text } : null;
}

/** Joins the blocks without a mark. Each command keeps its line number, and a label in place of the fence names the block. */
export function toScript(blocks: ShellBlock[]): string {
  const script: string[] = [];
  for (const { line, lines, mark } of blocks) {
    if (mark) continue;
    const gap = Array<string>(line - 2 - script.length).fill('');
    script.push(...gap, `: block in line ${line}`, ...lines);
  }
  return script.join('\n');
}
