import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pluginFiles } from '../scripts/plugin-files.ts';
import { buildPluginZip } from '../scripts/plugin-zip.ts';

type Entry = { name: string; time: string; mode: string };
let folder: string;
let entries: Entry[];
let names: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plugin-zip-'));
  await buildPluginZip(join(folder, 'one.zip'));
  entries = await entriesAsPhpReadsThem(join(folder, 'one.zip'));
  names = entries.map(({ name }) => name);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** PHP's own reader, since that is what a WordPress site unpacks it with. */
async function entriesAsPhpReadsThem(path: string): Promise<Entry[]> {
  const code = `$zip = new ZipArchive(); $zip->open( $argv[1] ); $entries = [];
    for ( $at = 0; $at < $zip->numFiles; $at++ ) {
      $stat = $zip->statIndex( $at );
      $zip->getExternalAttributesIndex( $at, $system, $attributes );
      $entries[] = [
        'name' => $stat['name'],
        'time' => date( 'Y-m-d H:i', $stat['mtime'] ),
        'mode' => decoct( $attributes >> 16 ),
      ];
    }
    echo json_encode( $entries );`;
  return JSON.parse(await run('php', ['-r', code, path])) as Entry[];
}

describe('buildPluginZip', () => {
  it('gives the same bytes a second time, in another time zone too', async () => {
    const zip = JSON.stringify(join(import.meta.dirname, '../scripts/plugin-zip.ts'));
    const target = join(folder, 'two.zip');
    await run(
      process.execPath,
      ['-e', `import(${zip}).then((it) => it.buildPluginZip(${JSON.stringify(target)}))`],
      { env: { TZ: 'Pacific/Auckland' } },
    );
    expect(readFileSync(target).equals(readFileSync(join(folder, 'one.zip')))).toBe(true);
  });

  it('puts everything into the folder steward, sorted', () => {
    expect(names).toContain('steward/steward.php');
    expect(names).toEqual(pluginFiles().map((path) => `steward/${path}`));
    expect(names).toEqual([...names].sort());
  });

  it('states one time and one mode for all files, whatever they have here', () => {
    const stated = new Set(entries.map(({ time, mode }) => `${time} ${mode}`));
    expect([...stated]).toEqual(['2000-01-01 00:00 100644']);
  });

  it('holds only kinds of files that a plugin needs', () => {
    const kinds = new Set(names.map((name) => extname(name)));
    expect([...kinds].filter((kind) => !/^\.(php|txt|pot|css|js)$/.test(kind))).toEqual([]);
  });

  it('holds the address of a panel as PHP reads it, when there is one', async () => {
    const odd = "https://panel.example.com/it's\\here?>$x{$y}\\";
    const target = join(folder, 'with-panel.zip');
    await buildPluginZip(target, odd);
    const code = `define( 'ABSPATH', '/' ); echo json_encode( include "zip://{$argv[1]}#steward/panel.php" );`;
    expect(JSON.parse(await run('php', ['-d', 'allow_url_include=1', '-r', code, target]))).toBe(
      odd,
    );
    const added = (await entriesAsPhpReadsThem(target)).filter(({ name }) => !names.includes(name));
    expect(added).toEqual([{ ...entries[0], name: 'steward/panel.php' }]);
  });
});
