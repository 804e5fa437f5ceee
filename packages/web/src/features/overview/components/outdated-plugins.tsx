import type { Overview } from '@steward/contract';
import lines from '../../../components/lines.module.css';
import { count } from '../../../lib/format.ts';
import styles from './outdated-plugins.module.css';
import shared from './overview.module.css';

/** Bars as long as the number of sites that have an old version. */
export function OutdatedPlugins({ plugins }: { plugins: Overview['outdated_plugins'] }) {
  const most = Math.max(1, ...plugins.map(({ sites }) => sites));
  if (plugins.length === 0) return <p className={shared.quiet}>No plugin is outdated anywhere.</p>;
  return (
    <ul className={lines.list}>
      {plugins.map(({ plugin, name, sites }) => (
        <li key={plugin} className={styles.row}>
          <span className={`${styles.name} cut`} title={plugin}>
            {name}
          </span>
          <span className={styles.track} aria-hidden>
            <span className={styles.bar} style={{ width: `${(sites / most) * 100}%` }} />
          </span>
          <span className={`${styles.count} tabular`}>{count(sites, 'site')}</span>
        </li>
      ))}
    </ul>
  );
}
