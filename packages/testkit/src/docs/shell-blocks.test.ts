import { expect, it } from 'vitest';
import { readShellBlocks, toScript } from './shell-blocks.ts';

const PAGE = `# Page

\`\`\`sh
echo one
\`\`\`

<!-- not run: needs Docker -->
\`\`\`sh
docker ps
\`\`\`

- In a list:

  <!-- run by test/a.test.ts -->
  \`\`\`sh
  echo two
  \`\`\`

\`\`\`sql
SELECT 1
\`\`\`

\`\`\`sh
echo three \\
  four
\`\`\`
`;

it('reads shell blocks with their line and their mark, and no other blocks', () => {
  expect(readShellBlocks(PAGE)).toEqual([
    { line: 4, lines: ['echo one'], mark: null },
    { line: 9, lines: ['docker ps'], mark: { kind: 'not run', text: 'needs Docker' } },
    { line: 16, lines: ['echo two'], mark: { kind: 'run by', text: 'test/a.test.ts' } },
    { line: 24, lines: ['echo three \\', '  four'], mark: null },
  ]);
});

it('ignores a mark without a reason, and one that is not directly above the block', () => {
  const [first, second] = readShellBlocks(
    '<!-- not run: -->\n```sh\na\n```\n<!-- not run: b -->\n\n```sh\nb\n```\n',
  );
  expect([first?.mark, second?.mark]).toEqual([null, null]);
});

it('refuses a block without an end', () => {
  expect(() => readShellBlocks('```sh\necho\n')).toThrow('The block in line 1 has no end.');
});

it('joins the blocks without a mark and keeps their line numbers', () => {
  const script = toScript(readShellBlocks(PAGE)).split('\n');
  expect(script.map((code, index) => [index + 1, code]).filter(([, code]) => code)).toEqual([
    [3, ': block in line 4'],
    [4, 'echo one'],
    [23, ': block in line 24'],
    [24, 'echo three \\'],
    [25, '  four'],
  ]);
});
