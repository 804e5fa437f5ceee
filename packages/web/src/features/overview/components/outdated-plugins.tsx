import type { Overview } from '@steward/contract';
import lines from '../../../components/lines.module.css';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { overviewMessages } from '../../../messages/overview.ts';
import styles from './outdated-plugins.module.css';
import shared from './overview.module.css';

/** The plugins that are outdated on the most sites. The length of a bar shows the number of sites. */
export function OutdatedPlugins({ plugins }: { plugins: Overview['outdated_plugins'] }) {
  const maxSites = Math.max(1, ...plugins.map(({ sites }) => sites));
  if (plugins.length === 0) return <p className={shared.quiet}>{overviewMessages.outdated.none}</p>;
  return (
    <ul className={lines.list}>
      {plugins.map(({ plugin, name, sites }) => (
        <li key={plugin} className={styles.row}>
          <SoftwareLink
            type="plugin"
            slug={plugin}
            className={`${styles.name} truncate`}
            title={plugin}
          >
            {name}
          </SoftwareLink>
          <span className={styles.track} aria-hidden>
            <span className={styles.bar} style={{ width: `${(sites / maxSites) * 100}%` }} />
          </span>
          <span className={`${styles.count} tabular`}>{overviewMessages.sites(sites)}</span>
        </li>
      ))}
    </ul>
  );
}
