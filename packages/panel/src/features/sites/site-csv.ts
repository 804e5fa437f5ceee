import {
  parseRuntime,
  REACHABILITY_LETTERS,
  SITE_COLUMNS,
  type SiteColumn,
  type SiteItem,
} from '@steward/contract';

type Cells = Record<string, (site: SiteItem) => string | number | boolean | null | undefined>;

/** The cells of each column: a column of the screen can have several. */
const CELLS: Record<SiteColumn, Cells> = {
  name: {
    id: (site) => site.id,
    site: (site) => site.name,
    url: (site) => site.url,
    environment: (site) => site.environment,
  },
  status: { status: (site) => site.status },
  version: {
    installed_version: (site) => site.installed?.version,
    offered_version: (site) => site.installed?.new_version,
  },
  active: { active: (site) => site.installed?.active },
  hold: { held_because: (site) => site.installed?.hold?.explanation },
  health: { health: (site) => site.installed?.health },
  changed: { installed_since: (site) => site.installed?.changed_at },
  pending: {
    plugin_updates: (site) => site.pending.plugins,
    theme_updates: (site) => site.pending.themes,
    core_updates: (site) => site.pending.core,
  },
  cms: { cms_version: (site) => site.cms_version },
  php: {
    php_version: ({ php_version }) => {
      const { name, version } = parseRuntime(php_version);
      return name === 'PHP' ? version : '';
    },
  },
  plugin: { steward_version: (site) => site.plugin_version },
  uptime: {
    days_down: ({ reachability_days: days }) => countLetter(days, 'down'),
    days_checked: ({ reachability_days: days }) =>
      countLetter(days, 'down') + countLetter(days, 'up'),
  },
  certificate: { certificate_expires_at: (site) => site.certificate_expires_at },
  backup: { backed_up_at: (site) => site.backed_up_at },
  check: { last_check_at: (site) => site.last_check_at },
  client: { client: (site) => site.client?.name },
  tags: { tags: (site) => site.tags.join(', ') },
  license: { license: ({ license }) => license.name ?? `…${license.key_last_six}` },
};

const OF_ITEM: SiteColumn[] = ['version', 'active', 'hold', 'health', 'changed'];

function countLetter(days: string, state: keyof typeof REACHABILITY_LETTERS): number {
  return [...days].filter((letter) => letter === REACHABILITY_LETTERS[state]).length;
}

/** `columns`: null for all. Without an item in the filter, the sites have no cells about it. */
export function createSiteCsv(columns: SiteColumn[] | null, { hasItem }: { hasItem: boolean }) {
  const shown = SITE_COLUMNS.filter(
    (column) => (columns?.includes(column) ?? true) && (hasItem || !OF_ITEM.includes(column)),
  );
  const cells = shown.flatMap((column) => Object.entries(CELLS[column]));
  return {
    header: cells.map(([name]) => name),
    toCells: (site: SiteItem) => cells.map(([, read]) => String(read(site) ?? '')),
  };
}
