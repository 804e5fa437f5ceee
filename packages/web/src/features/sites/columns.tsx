import type { SiteSort } from '@steward/contract';
import { IconBox, IconBrush, IconPlug } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Ago } from '../../components/moment.tsx';
import { count } from '../../lib/format.ts';
import type { SiteItem } from './api.ts';
import { SiteLight } from './components/site-light.tsx';
import styles from './components/site-table.module.css';

export type Column = {
  name: string;
  label: string;
  /** By what the panel sorts; the first click sorts in this order. */
  sort?: { by: SiteSort; first: 'asc' | 'desc' };
  cell: (site: SiteItem) => ReactNode;
};

export const COLUMNS: Column[] = [
  { name: 'name', label: 'Site', sort: { by: 'name', first: 'asc' }, cell: nameCell },
  {
    name: 'status',
    label: 'State',
    sort: { by: 'status', first: 'asc' },
    cell: (site) => <SiteLight site={site} />,
  },
  {
    name: 'pending',
    label: 'Updates',
    sort: { by: 'pending', first: 'desc' },
    cell: ({ pending }) => <PendingCell {...pending} />,
  },
  {
    name: 'cms',
    label: 'CMS',
    sort: { by: 'cms_version', first: 'asc' },
    cell: (site) => <Version>{site.cms_version}</Version>,
  },
  {
    name: 'php',
    label: 'PHP',
    sort: { by: 'php_version', first: 'asc' },
    cell: (site) => <Version>{site.php_version}</Version>,
  },
  {
    name: 'plugin',
    label: 'Plugin',
    sort: { by: 'plugin_version', first: 'asc' },
    cell: (site) => <Version>{site.plugin_version}</Version>,
  },
  {
    name: 'check',
    label: 'Last check',
    sort: { by: 'last_check', first: 'desc' },
    cell: ({ last_check_at }) => <Ago at={last_check_at} />,
  },
  { name: 'tags', label: 'Tags', cell: tagsCell },
];

function nameCell({ id, name, environment }: SiteItem) {
  return (
    <>
      <Link
        to="/sites/$siteId"
        params={{ siteId: String(id) }}
        className={styles.name}
        tabIndex={-1}
      >
        {name}
      </Link>
      {environment !== 'production' && <span className={styles.mark}>{environment}</span>}
    </>
  );
}

function tagsCell({ tags }: SiteItem) {
  return (
    <span className="cut" title={tags.join(', ')}>
      {tags.map((tag) => (
        <span key={tag} className={styles.mark}>
          {tag}
        </span>
      ))}
    </span>
  );
}

function Version({ children }: { children: string }) {
  return (
    <span className="tabular cut" title={children}>
      {children}
    </span>
  );
}

const KINDS = [
  { kind: 'plugins', one: 'plugin', icon: IconPlug },
  { kind: 'themes', one: 'theme', icon: IconBrush },
  { kind: 'core', one: 'core update', icon: IconBox },
] as const;

/** How many of each kind; said in words to those who do not see the icons. */
export function PendingCell(pending: SiteItem['pending']) {
  const there = KINDS.filter(({ kind }) => pending[kind] > 0);
  if (there.length === 0) return <span className={styles.none}>none</span>;
  const words = there.map(({ kind, one }) => count(pending[kind], one)).join(', ');
  return (
    <span className={`${styles.kinds} tabular`} title={words}>
      <span className={styles.unseen}>{words}</span>
      {there.map(({ kind, icon: Icon }) => (
        <span key={kind} className={styles.kind} aria-hidden>
          <Icon size={14} />
          {pending[kind]}
        </span>
      ))}
    </span>
  );
}
