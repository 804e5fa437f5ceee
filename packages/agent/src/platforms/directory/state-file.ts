import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { NO_OPTIONS, type OptionsStore, type SiteOptions } from '../../site-options.ts';
import type { Feed } from './feed.ts';

/** What a site on disk remembers. */
export type SiteState = {
  options: SiteOptions;
  active_plugins: string[];
  active_theme: string | null;
  /** The answer of the last update check. */
  updates: Feed;
};

const FRESH: SiteState = {
  options: NO_OPTIONS,
  active_plugins: [],
  active_theme: null,
  updates: { plugins: {}, themes: {}, core: null },
};

export type StateFile = {
  read(): Promise<SiteState>;
  change(apply: (state: SiteState) => SiteState): Promise<void>;
  options: OptionsStore;
};

export function openStateFile(path: string): StateFile {
  let turn: Promise<unknown> = Promise.resolve();

  async function read(): Promise<SiteState> {
    try {
      return { ...FRESH, ...JSON.parse(await readFile(path, 'utf8')) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return FRESH;
      throw error;
    }
  }

  /** Written whole beside the old one and renamed: a reader sees the one or the other. */
  async function write(state: SiteState): Promise<void> {
    const draft = `${path}.${randomBytes(4).toString('hex')}`;
    await writeFile(draft, JSON.stringify(state, null, 2), { mode: 0o600, flush: true });
    await rename(draft, path);
  }

  /** One change after another: two at once would each undo the other. */
  function change(apply: (state: SiteState) => SiteState): Promise<void> {
    const next = turn.then(async () => write(apply(await read())));
    turn = next.catch(() => {});
    return next;
  }

  return {
    read,
    change,
    options: {
      // A file that an older version has written does not have them all.
      read: async () => ({ ...NO_OPTIONS, ...(await read()).options }),
      write: (options) =>
        change((state) => ({ ...state, options: { ...state.options, ...options } })),
    },
  };
}
