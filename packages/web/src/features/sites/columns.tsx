import { parseRuntime, type SiteSort } from '@steward/contract';
import { IconBox, IconBrush, IconPlug } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CertificateExpiry } from '../../components/certificate-expiry.tsx';
import { NameText } from '../../components/name-text.tsx';
import { SupportedVersion } from '../../components/supported-version.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { commonMessages } from '../../messages/common.ts';
import { siteColumnsMessages } from '../../messages/site-columns.ts';
import { sitesMessages } from '../../messages/sites.ts';
import { uptimeMessages } from '../../messages/uptime.ts';
import type { SiteItem } from './api.ts';
import { SiteStatusLabel } from './components/site-status-label.tsx';
import styles from './components/site-table.module.css';
import { UptimeStrip } from './components/uptime-strip.tsx';

const messages = sitesMessages.table;

export type Column = {
  id: string;
  label: string;
  /** The sort key in the API, and the order after the first click. */
  sort?: { by: SiteSort; firstOrder: 'asc' | 'desc' };
  cell: (site: SiteItem) => ReactNode;
};

export const NAME_COLUMN: Column = {
  id: 'name',
  label: messages.name,
  sort: { by: 'name', firstOrder: 'asc' },
  cell: nameCell,
};

export const STATUS_COLUMN: Column = {
  id: 'status',
  label: messages.status,
  sort: { by: 'status', firstOrder: 'asc' },
  cell: (site) => <SiteStatusLabel site={site} />,
};

export const COLUMNS: Column[] = [
  NAME_COLUMN,
  STATUS_COLUMN,
  {
    id: 'pending',
    label: messages.pending,
    sort: { by: 'pending', firstOrder: 'desc' },
    cell: ({ pending }) => <PendingCell {...pending} />,
  },
  {
    id: 'cms',
    label: messages.cms,
    sort: { by: 'cms_version', firstOrder: 'asc' },
    cell: cmsCell,
  },
  {
    id: 'php',
    label: messages.php,
    sort: { by: 'php_version', firstOrder: 'asc' },
    cell: phpCell,
  },
  {
    id: 'plugin',
    label: messages.plugin,
    sort: { by: 'plugin_version', firstOrder: 'asc' },
    cell: (site) => <VersionCell>{site.plugin_version}</VersionCell>,
  },
  {
    id: 'uptime',
    label: uptimeMessages.uptime,
    cell: ({ reachability_days }) => <UptimeStrip days={reachability_days} />,
  },
  {
    id: 'certificate',
    label: uptimeMessages.certificate,
    cell: ({ certificate_expires_at: at }) => at && <CertificateExpiry expiresAt={at} />,
  },
  {
    id: 'check',
    label: messages.check,
    sort: { by: 'last_check', firstOrder: 'desc' },
    cell: ({ last_check_at }) => <RelativeTime at={last_check_at} />,
  },
  { id: 'client', label: messages.client, cell: clientCell },
  { id: 'tags', label: messages.tags, cell: tagsCell },
];

/** The columns that a user can add. */
export const ALL_COLUMNS: Column[] = [
  ...COLUMNS,
  {
    id: 'backup',
    label: siteColumnsMessages.labels.backup,
    cell: ({ backed_up_at }) => <RelativeTime at={backed_up_at} />,
  },
  {
    id: 'license',
    label: siteColumnsMessages.labels.license,
    cell: ({ license }) => (
      <NameText>{license.name ?? commonMessages.maskedKey(license.key_last_six)}</NameText>
    ),
  },
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
        <NameText>{name}</NameText>
      </Link>
      {environment !== 'production' && <span className={styles.mark}>{environment}</span>}
    </>
  );
}

function cmsCell({ cms_version, php_version }: SiteItem) {
  // Another runtime belongs to another CMS.
  return parseRuntime(php_version).name === 'PHP' ? (
    <SupportedVersion software="wordpress" version={cms_version} />
  ) : (
    <VersionCell>{cms_version}</VersionCell>
  );
}

function phpCell({ php_version }: SiteItem) {
  const { name, version } = parseRuntime(php_version);
  if (name === 'PHP') return <SupportedVersion software="php" version={version} />;
  return (
    <span className={styles.none} title={messages.otherRuntime(`${name} ${version}`)}>
      {messages.noPhp}
    </span>
  );
}

function clientCell({ client }: SiteItem) {
  return client && <NameText>{client.name}</NameText>;
}

function tagsCell({ tags }: SiteItem) {
  return (
    <span className="truncate" title={tags.join(', ')}>
      {tags.map((tag) => (
        <span key={tag} className={styles.mark}>
          {tag}
        </span>
      ))}
    </span>
  );
}

function VersionCell({ children }: { children: string }) {
  return (
    <span className="tabular truncate" title={children}>
      {children}
    </span>
  );
}

const KINDS = [
  { kind: 'plugins', icon: IconPlug },
  { kind: 'themes', icon: IconBrush },
  { kind: 'core', icon: IconBox },
] as const;

/** The number of pending updates per kind: icons on the screen, words for screen readers. */
export function PendingCell(pending: SiteItem['pending']) {
  const kinds = KINDS.filter(({ kind }) => pending[kind] > 0);
  if (kinds.length === 0) return <span className={styles.none}>{messages.nothingPending}</span>;
  const words = kinds.map(({ kind }) => messages[kind](pending[kind])).join(', ');
  return (
    <span className={`${styles.kinds} tabular`} title={words}>
      <span className={styles.unseen}>{words}</span>
      {kinds.map(({ kind, icon: Icon }) => (
        <span key={kind} className={styles.kind} aria-hidden>
          <Icon size={14} />
          {pending[kind]}
        </span>
      ))}
    </span>
  );
}
