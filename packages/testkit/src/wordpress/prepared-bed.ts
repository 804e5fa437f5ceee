import { chmod, rm } from 'node:fs/promises';
import { createScratchFolder } from '../scratch-folder.ts';
import { startMariadb } from './mariadb.ts';
import { prepareTemplate } from './template.ts';

/** MariaDB and an installed WordPress to make sites of. */
export async function prepareBed(parent?: string) {
  // Each site is some 2,500 files: in memory they are written ten times as fast.
  const folder = await createScratchFolder('steward-wp-', parent);
  // PHP may run as another user, who only has to get through.
  await chmod(folder, 0o711);
  const mariadb = await startMariadb(folder);
  const stop = async () => {
    await mariadb.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await prepareTemplate(folder, mariadb);
  } catch (error) {
    await stop();
    throw error;
  }
  return { folder, mariadb, stop };
}
