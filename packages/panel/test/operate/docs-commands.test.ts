import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { readShellBlocks, toScript } from '@steward/testkit/docs/shell-blocks.ts';
import { runInShell } from '@steward/testkit/docs/shell-session.ts';
import { registerSecretsIn } from '@steward/testkit/panel/register-secrets.ts';
import { scratchRoot } from '@steward/testkit/scratch-folder.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PAGES } from './docs-pages.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

function createFolder(): string {
  const folder = mkdtempSync(join(scratchRoot(), 'steward-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the shell blocks of the documentation', () => {
  it('are run below, or have a mark that states the reason or the test that runs them', async () => {
    const pages = await Array.fromAsync(glob('{README,CONTRIBUTING,docs/*}.md', { cwd: ROOT }));
    const withCommands = pages.filter((page) =>
      readShellBlocks(read(page)).some(({ mark }) => mark === null),
    );
    expect(withCommands.sort()).toEqual(Object.keys(PAGES).sort());
  });

  it.each(Object.entries(PAGES))('work as printed on %s', async (page, prepare) => {
    const folder = createFolder();
    const { env, replacements, assertResult } = await prepare(folder);
    let script = toScript(readShellBlocks(read(page)));
    for (const [printed, real] of replacements) {
      expect(script, `${page} no longer contains a text that the test replaces`).toContain(printed);
      script = script.replaceAll(printed, real);
    }
    const output = await runInShell(script, { folder, env }).catch((error: Error) => {
      throw new Error(`${page}: ${error.message}`);
    });
    registerSecretsIn(output);
    await assertResult?.(output);
  });
});

describe('a shell session', () => {
  const run = (script: string) => runInShell(script, { folder: createFolder(), env: {} });
  const page = '# Page\n\n```sh\necho fine\n```\n\n```sh\nfalse\necho never\n```\n';

  it('fails at the first failed command and names its block', async () => {
    await expect(run(toScript(readShellBlocks(page)))).rejects.toThrow(
      'Block in line 8: exit code 1',
    );
    await expect(run('echo "$UNSET_VARIABLE"')).rejects.toThrow('exit code 2');
  });

  it('fails when a server does not start', async () => {
    await expect(run('npx steward serve --unknown')).rejects.toThrow("unknown option '--unknown'");
  });

  it('fails on programs that it does not know', async () => {
    await expect(run('npx other')).rejects.toThrow('npx: unexpected program other');
    await expect(run('npm run unknown')).rejects.toThrow('npm: unexpected command run unknown');
  });
});
