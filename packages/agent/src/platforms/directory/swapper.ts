import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { UpdateRolledBack } from '../../platform.ts';
import { getErrorMessage } from '../../update-item.ts';

type SwapHooks = {
  verify(): Promise<void>;
  /** Receives the replaced folder after the swap is committed, and may move it. Its errors are ignored. */
  keep(backup: string): Promise<void>;
};

/**
 * Replaces a folder, or the file of a single-file plugin, with a new one. A journal records the swap in progress. If
 * the process is killed, the next process reads the journal and rolls back, so a partial folder never stays.
 */
export type Swapper = {
  /** `verify` checks the new folder in place. If it throws, the swap rolls back and throws `UpdateRolledBack`. */
  swap(live: string, staged: string, hooks: SwapHooks): Promise<void>;
  /** Rolls back an interrupted swap. Call it before reading the folders. */
  recover(): Promise<void>;
};

export function createSwapper(root: string, workDir: string): Swapper {
  const journalPath = join(workDir, 'swap.json');
  const backup = join(workDir, 'previous');

  async function rollBack(live: string): Promise<void> {
    if (existsSync(backup)) {
      await rm(live, { recursive: true, force: true });
      await rename(backup, live);
    }
    if (!existsSync(live)) {
      throw new Error(`${live} was lost during an update. Restore it from a backup.`);
    }
    await rm(journalPath, { force: true });
  }

  return {
    async swap(live, staged, { verify, keep }) {
      await rm(backup, { recursive: true, force: true });
      // The path is relative because the site may be moved before recovery. Write and rename, so that the
      // journal is complete before the first folder moves.
      const journal = JSON.stringify({ live: relative(root, live) });
      await writeFile(`${journalPath}.draft`, journal, { flush: true });
      await rename(`${journalPath}.draft`, journalPath);
      let isSwapped = false;
      try {
        await rename(live, backup);
        await rename(staged, live);
        isSwapped = true;
        await verify();
      } catch (error) {
        await rollBack(live);
        throw isSwapped ? new UpdateRolledBack(getErrorMessage(error), { cause: error }) : error;
      }
      // Removing the journal commits the swap: without a journal, recovery does nothing.
      await rm(journalPath);
      // The update has succeeded, whether or not the old version can be kept.
      await keep(backup).catch(() => {});
      await rm(backup, { recursive: true, force: true });
    },

    async recover() {
      if (!existsSync(journalPath)) return;
      const journal: { live: string } = JSON.parse(await readFile(journalPath, 'utf8'));
      await rollBack(join(root, journal.live));
    },
  };
}
