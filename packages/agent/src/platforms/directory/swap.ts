import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts a new folder in the place of an old one such that a kill at any moment leaves one of them
 * whole. A journal says what is under way; whoever comes next finishes or takes back.
 */
export type Swapper = {
  /** `isGood` looks at what is in place afterwards; if it throws, the old one comes back. */
  swap(live: string, staged: string, isGood: () => Promise<void>): Promise<void>;
  /** To be called before anything else looks at the folders. */
  reconcile(): Promise<void>;
};

type Journal = { live: string; backup: string };

export function createSwapper(workDir: string): Swapper {
  const journalPath = join(workDir, 'swap.json');

  async function takeBack({ live, backup }: Journal): Promise<void> {
    if (existsSync(backup)) {
      await rm(live, { recursive: true, force: true });
      await rename(backup, live);
    }
    await rm(journalPath, { force: true });
  }

  return {
    async swap(live, staged, isGood) {
      const journal: Journal = { live, backup: join(workDir, 'previous') };
      await rm(journal.backup, { recursive: true, force: true });
      await writeFile(journalPath, JSON.stringify(journal), { flush: true });
      try {
        await rename(live, journal.backup);
        await rename(staged, live);
        await isGood();
      } catch (error) {
        await takeBack(journal);
        throw error;
      }
      // From here on the new one counts: without a journal nobody takes it back.
      await rm(journalPath);
      await rm(journal.backup, { recursive: true, force: true });
    },

    async reconcile() {
      if (existsSync(journalPath)) await takeBack(JSON.parse(await readFile(journalPath, 'utf8')));
    },
  };
}
