import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const PLUGIN = 'wordpress/steward';

/**
 * The folder that contains the shipped files. The source code, its build and a release are at different depths
 * below it.
 */
function findRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, PLUGIN))) {
    if (folder === dirname(folder)) {
      throw new Error('The installation of Steward is incomplete. Install it again.');
    }
    folder = dirname(folder);
  }
  return folder;
}

const ROOT = findRoot();
/** npm replaces the folder of an installed release, so a release must not keep data there. */
const isRelease = !existsSync(join(ROOT, 'packages/panel/src'));

/** Folders beside the program. Releases and checkouts have the same layout. */
export const INSTALLED = {
  migrations: join(ROOT, 'packages/panel/migrations'),
  screens: join(ROOT, 'packages/web/dist'),
  wordpressPlugin: join(ROOT, PLUGIN),
  defaultDataDir: isRelease ? resolve('data') : join(ROOT, 'data'),
};
