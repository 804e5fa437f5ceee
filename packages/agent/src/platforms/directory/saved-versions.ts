import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SAVED_VERSIONS_MAX } from '@steward/contract';
import type { SavedVersion, StateFile } from './state-file.ts';

type Item = Pick<SavedVersion, 'kind' | 'slug'>;

/** The replaced versions of plugins and themes, newest first in the state file. */
export type SavedVersions = ReturnType<typeof createSavedVersions>;

export function createSavedVersions(workDir: string, state: StateFile) {
  const root = join(workDir, 'saved');
  const isSame = (one: Item, other: Item) => one.kind === other.kind && one.slug === other.slug;

  /** Deletes folders that the state file does not list, such as the leftovers of a killed process. */
  async function prune(): Promise<void> {
    const listed = new Set((await state.read()).saved_versions.map(({ folder }) => folder));
    const folders = await readdir(root).catch(() => []);
    for (const folder of folders.filter((name) => !listed.has(name))) {
      await rm(join(root, folder), { recursive: true, force: true });
    }
  }

  return {
    prune,

    list: async (item: Item, installedVersion: string) =>
      (await state.read()).saved_versions
        .filter((saved) => isSame(saved, item) && saved.version !== installedVersion)
        .map(({ version }) => version),

    /** Moves the backup of a replaced version to the saved versions. */
    async keep(item: Item & { version: string }, backup: string): Promise<void> {
      const folder = randomBytes(8).toString('hex');
      await mkdir(root, { recursive: true });
      await rename(backup, join(root, folder));
      await state.change((current) => {
        const { kind, slug, version } = item;
        const others = current.saved_versions.filter(
          (saved) => !isSame(saved, item) || saved.version !== version,
        );
        const newestFirst = [{ kind, slug, version, folder }, ...others];
        const isKept = (saved: SavedVersion) =>
          newestFirst.filter((other) => isSame(other, saved)).indexOf(saved) < SAVED_VERSIONS_MAX;
        return { ...current, saved_versions: newestFirst.filter(isKept) };
      });
      await prune();
    },

    /** Copies a saved version. The original stays saved, in case the restore fails. */
    async copy(item: Item & { version: string }, target: string): Promise<void> {
      const saved = (await state.read()).saved_versions.find(
        (each) => isSame(each, item) && each.version === item.version,
      );
      if (!saved) throw new Error(`The site has no saved version ${item.version}.`);
      await cp(join(root, saved.folder), target, { recursive: true });
    },

    /** Deletes one version, or all versions of an item. */
    async forget(item: Item & { version?: string }): Promise<void> {
      await state.change((current) => ({
        ...current,
        saved_versions: current.saved_versions.filter(
          (saved) => !isSame(saved, item) || (item.version ?? saved.version) !== saved.version,
        ),
      }));
      await prune();
    },
  };
}
