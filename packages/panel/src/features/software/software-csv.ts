import type { SoftwareItem } from '@steward/contract';

type Cells = Record<string, (item: SoftwareItem) => string | number>;

const CELLS: Cells = {
  type: ({ type }) => type,
  name: ({ name }) => name,
  slug: ({ slug }) => slug,
  sites: ({ sites }) => sites,
  active_sites: ({ active_sites }) => active_sites,
  outdated_sites: ({ outdated_sites }) => outdated_sites,
  newest_version: ({ newest_version }) => newest_version,
  most_used_versions: ({ versions }) =>
    versions.map(({ version, sites }) => `${version} (${sites})`).join(', '),
  other_versions: ({ other_versions }) => other_versions,
  held_because: ({ holds = [] }) => holds.map(({ hold }) => hold.explanation).join(' '),
};

export const SOFTWARE_CSV = {
  header: Object.keys(CELLS),
  toCells: (item: SoftwareItem) => Object.values(CELLS).map((read) => String(read(item))),
};
