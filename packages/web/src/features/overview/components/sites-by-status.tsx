import { type Overview, SITE_STATUSES } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import { describeSiteStatus } from '../../../components/describe-site-status.ts';
import { type StatusKind, StatusLabel } from '../../../components/status-label.tsx';
import { formatNumber } from '../../../lib/format.ts';
import styles from './sites-by-status.module.css';
import { StackedBar } from './stacked-bar.tsx';

/** The segments have the colours of the status icons. All other kinds have the colour `idle`. */
const COLORS: Partial<Record<StatusKind, string>> = {
  good: 'good',
  warn: 'warn',
  pending: 'pending',
  bad: 'bad',
  badHollow: 'bad',
  running: 'accent',
};

/** The number of sites per status, as links to the filtered list. */
export function SitesByStatus({ sites }: { sites: Overview['sites'] }) {
  const counts: Record<string, number> = sites.by_status;
  const statuses = SITE_STATUSES.map((status) => ({
    status,
    sites: counts[status] ?? 0,
    ...describeSiteStatus(status),
  })).filter(({ sites }) => sites > 0);
  return (
    <>
      <div className={styles.bar}>
        <StackedBar
          segments={statuses.map(({ status, kind, sites }) => ({
            name: status,
            value: sites,
            color: COLORS[kind] ?? 'idle',
          }))}
        />
      </div>
      <ul className={styles.statuses}>
        {statuses.map(({ status, word, kind, sites }) => (
          <li key={status}>
            <Link to="/sites" search={{ status }} className={styles.status}>
              <span className={`${styles.count} tabular`}>{formatNumber(sites)}</span>
              <StatusLabel kind={kind}>{word}</StatusLabel>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
