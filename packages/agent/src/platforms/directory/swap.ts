import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * Puts a new folder in the place of an old one such that a kill at any moment leaves one of them
 * whole. A journal says what is under way; whoever comes next takes it back.
 */
export type Swapper = {
  /** `isGood` looks at what is in place afterwards; if it throws, the old one comes back. */
  swap(live: string, staged: string, isGood: () => Promise<void>): Promise<void>;
  /** To be called before anything else looks at the folders. */
  reconcile(): Promise<void>;
};

export function createSwapper(root: string, workDir: string): Swapper {
  const journalPath = join(workDir, 'swap.json');
  const backup = join(workDir, 'previous');

  async function takeBack(live: string): Promise<void> {
    if (existsSync(backup)) {
      await rm(live, { recursive: true, force: true });
      await rename(backup, live);
    }
    if (!existsSync(live)) {
      throw new Error(`${live} was lost in the middle of an update. Restore it from a backup.`);
    }
    await rm(journalPath, { force: true });
  }

  return {
    async swap(live, staged, isGood) {
      await rm(backup, { recursive: true, force: true });
      // Relative to the site, which may have been moved by the time it is read; and whole or not at
      // all, for nothing may be moved without it.
      const journal = JSON.stringify({ live: relative(root, live) });
      await writeFile(`${journalPath}.draft`, journal, { flush: true });
      await rename(`${journalPath}.draft`, journalPath);
      try {
        await rename(live, backup);
        await rename(staged, live);
        await isGood();
      } catch (error) {
        await takeBack(live);
        throw error;
      }
      // From here on the new one counts: without a journal nobody takes it back.
      await rm(journalPath);
      await rm(backup, { recursive: true, force: true });
    },

    async reconcile() {
      if (!existsSync(journalPath)) return;
      const journal: { live: string } = JSON.parse(await readFile(journalPath, 'utf8'));
      await takeBack(join(root, journal.live));
    },
  };
}
