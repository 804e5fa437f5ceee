import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import type { Launcher } from './panel-process.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PROGRAM = 'packages/panel/dist';
/** Copied, because a newer version has other files there. */
const COPIED = [PROGRAM, 'packages/panel/migrations'];
const LINKED = ['packages/web/dist', 'wordpress/steward', 'node_modules'];

export const NEWER_VERSION = '99.0.0';

/**
 * Copies the build of the panel as a later version with more migrations, in a folder of its own. Returns a launcher for
 * its processes.
 */
export function createNewerBuild(migrations: Record<string, string>): Launcher {
  const folder = temporaryFolder();
  const inFolder = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  for (const path of COPIED) cpSync(join(ROOT, path), inFolder(path), { recursive: true });
  for (const path of LINKED) symlinkSync(join(ROOT, path), inFolder(path));
  for (const [name, statements] of Object.entries(migrations)) {
    writeFileSync(inFolder(`packages/panel/migrations/${name}.sql`), statements);
  }
  replaceVersion(join(folder, PROGRAM));
  return ([, ...args]) => [join(folder, PROGRAM, 'steward.js'), ...args];
}

/** The compiler puts the version of the panel into a file of its own. */
function replaceVersion(program: string): void {
  const name = readdirSync(program).find((file) => /^package-.+\.js$/.test(file));
  if (!name) throw new Error('The build has no file with its version.');
  const code = readFileSync(join(program, name), 'utf8');
  writeFileSync(join(program, name), code.replace(/(version = )"[^"]+"/, `$1"${NEWER_VERSION}"`));
}
