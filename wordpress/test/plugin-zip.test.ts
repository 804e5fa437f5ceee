import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPluginFiles } from '../scripts/plugin-files.ts';
import { buildPluginZip } from '../scripts/plugin-zip.ts';

type Entry = { name: string; time: string; mode: string };
let folder: string;
let entries: Entry[];
let names: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plugin-zip-'));
  await buildPluginZip(join(folder, 'one.zip'));
  entries = await readEntriesWithPhp(join(folder, 'one.zip'));
  names = entries.map(({ name }) => name);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Uses PHP's zip reader because WordPress unpacks with it. */
async function readEntriesWithPhp(path: string): Promise<Entry[]> {
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
  it('is reproducible, even in another time zone', async () => {
    const zip = JSON.stringify(join(import.meta.dirname, '../scripts/plugin-zip.ts'));
    const target = join(folder, 'two.zip');
    await run(
      process.execPath,
      ['-e', `import(${zip}).then((it) => it.buildPluginZip(${JSON.stringify(target)}))`],
      { env: { TZ: 'Pacific/Auckland' } },
    );
    expect(readFileSync(target).equals(readFileSync(join(folder, 'one.zip')))).toBe(true);
  });

  it('puts all files into the folder steward, sorted by name', () => {
    expect(names).toContain('steward/steward.php');
    expect(names).toEqual(listPluginFiles().map((path) => `steward/${path}`));
    expect(names).toEqual([...names].sort());
  });

  it('sets the same time and mode for all files', () => {
    const stated = new Set(entries.map(({ time, mode }) => `${time} ${mode}`));
    expect([...stated]).toEqual(['2000-01-01 00:00 100644']);
  });

  it('contains only file types that a plugin needs', () => {
    const kinds = new Set(names.map((name) => extname(name)));
    expect([...kinds].filter((kind) => !/^\.(php|txt|pot|css|js)$/.test(kind))).toEqual([]);
  });

  it('contains the panel URL as a PHP string, if given', async () => {
    const panelUrl = "https://panel.example.com/it's\\here?>$x{$y}\\";
    const target = join(folder, 'with-panel.zip');
    await buildPluginZip(target, panelUrl);
    const code = `define( 'ABSPATH', '/' ); echo json_encode( include "zip://{$argv[1]}#steward/panel.php" );`;
    expect(JSON.parse(await run('php', ['-d', 'allow_url_include=1', '-r', code, target]))).toBe(
      panelUrl,
    );
    const added = (await readEntriesWithPhp(target)).filter(({ name }) => !names.includes(name));
    expect(added).toEqual([{ ...entries[0], name: 'steward/panel.php' }]);
  });
});
