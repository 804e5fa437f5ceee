import { type Overview, SITE_STATUSES } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import { describeSiteStatus } from '../../../components/describe-site-status.ts';
import { Light, type Look } from '../../../components/light.tsx';
import { formatNumber } from '../../../lib/format.ts';
import styles from './sites-by-status.module.css';
import { StackedBar } from './stacked-bar.tsx';

/** The colours of the lights. */
const COLORS: Partial<Record<Look, string>> = {
  good: 'good',
  warn: 'warn',
  bad: 'bad',
  badHollow: 'bad',
  running: 'accent',
};

/** The number of sites per state, as links to the filtered list. */
export function SitesByStatus({ sites }: { sites: Overview['sites'] }) {
  const counts: Record<string, number> = sites.by_status;
  const states = SITE_STATUSES.map((status) => ({
    status,
    sites: counts[status] ?? 0,
    ...describeSiteStatus(status),
  })).filter((state) => state.sites > 0);
  return (
    <>
      <div className={styles.bar}>
        <StackedBar
          segments={states.map(({ status, look, sites }) => ({
            name: status,
            value: sites,
            color: COLORS[look] ?? 'idle',
          }))}
        />
      </div>
      <ul className={styles.states}>
        {states.map(({ status, word, look, sites }) => (
          <li key={status}>
            <Link to="/sites" search={{ status }} className={styles.state}>
              <span className={`${styles.count} tabular`}>{formatNumber(sites)}</span>
              <Light look={look}>{word}</Light>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
