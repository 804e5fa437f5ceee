import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { PackageKind } from '../../platform.ts';
import { EMPTY_OPTIONS, type OptionsStore, type SiteOptions } from '../../site-options.ts';
import type { Feed } from './feed.ts';

/** A replaced version. `folder` is a name below `.steward/saved`. */
export type SavedVersion = { kind: PackageKind; slug: string; version: string; folder: string };

/** The persistent state of a site on disk. */
export type SiteState = {
  options: SiteOptions;
  active_plugins: string[];
  active_theme: string | null;
  /** The result of the last update check. */
  updates: Feed;
  /** Replaced versions, newest first. */
  saved_versions: SavedVersion[];
};

const EMPTY_STATE: SiteState = {
  options: EMPTY_OPTIONS,
  active_plugins: [],
  active_theme: null,
  updates: { plugins: {}, themes: {}, core: null },
  saved_versions: [],
};

export type StateFile = {
  read(): Promise<SiteState>;
  change(apply: (state: SiteState) => SiteState): Promise<void>;
  options: OptionsStore;
};

export function openStateFile(path: string): StateFile {
  let queue: Promise<unknown> = Promise.resolve();

  async function read(): Promise<SiteState> {
    try {
      return { ...EMPTY_STATE, ...JSON.parse(await readFile(path, 'utf8')) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY_STATE;
      throw error;
    }
  }

  /** Writes a new file and renames it, so that readers never see a partial file. */
  async function write(state: SiteState): Promise<void> {
    const temporaryFile = `${path}.${randomBytes(4).toString('hex')}`;
    await writeFile(temporaryFile, JSON.stringify(state, null, 2), { mode: 0o600, flush: true });
    await rename(temporaryFile, path);
  }

  /** Applies changes one at a time: concurrent changes would overwrite each other. */
  function change(apply: (state: SiteState) => SiteState): Promise<void> {
    const written = queue.then(async () => write(apply(await read())));
    queue = written.catch(() => {});
    return written;
  }

  return {
    read,
    change,
    options: {
      // A file written by an older version lacks some options.
      read: async () => ({ ...EMPTY_OPTIONS, ...(await read()).options }),
      write: (options) =>
        change((state) => ({ ...state, options: { ...state.options, ...options } })),
    },
  };
}
