import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { PLUGIN_FOLDER, pluginFiles, projectVersion } from './plugin-files.ts';

/** A zip states local time without its zone, so local time it has to be for the same bytes everywhere. */
const SAME_TIME_FOR_ALL = new Date(2000, 0, 1);

/** The same files give the same bytes, so that anyone can check a published zip. */
export async function buildPluginZip(targetPath: string): Promise<void> {
  mkdirSync(dirname(targetPath), { recursive: true });
  const zip = new ZipFile();
  for (const path of pluginFiles()) {
    zip.addFile(join(PLUGIN_FOLDER, path), `steward/${path}`, {
      mtime: SAME_TIME_FOR_ALL,
      forceDosTimestamp: true,
      mode: 0o100644,
    });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(targetPath));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const target = join(root, 'dist', `steward-${projectVersion()}.zip`);
  await buildPluginZip(target);
  process.stdout.write(`${relative(process.cwd(), target)}\n`);
}
