import type { Inventory } from '@steward/contract';

type Versions = { version: string; new_version?: string; saved_versions?: string[] };

/** Trims the versions of a report: update servers send " 2.0", and rules, counts and histories compare versions. */
export function trimVersions({ plugins, themes, core }: Inventory): Inventory {
  return { plugins: plugins.map(trim), themes: themes.map(trim), core: trim(core) };
}

function trim<Item extends Versions>({ new_version, ...item }: Item) {
  const offered = new_version?.trim();
  return {
    ...item,
    version: item.version.trim(),
    ...(offered && { new_version: offered }),
    ...(item.saved_versions && {
      saved_versions: item.saved_versions.map((version) => version.trim()),
    }),
  };
}
