import type { VersionsInUse } from '@steward/contract';
import { softwareMessages } from '../messages/software.ts';
import styles from './versions-bar.module.css';

const messages = softwareMessages.versions;

type Props = {
  item: VersionsInUse;
  /** The bar fills its container and has no text beside it. */
  isWide?: boolean;
};

/** Shows how many sites use which version. The newest version has the accent colour, the others are grey. */
export function VersionsBar({ item, isWide = false }: Props) {
  const { sites, newest_version, other_versions } = item;
  const versions = item.versions.toSorted(
    (a, b) => Number(b.version === newest_version) - Number(a.version === newest_version),
  );
  const listedSites = versions.reduce((sum, version) => sum + version.sites, 0);
  const otherSites = Math.max(0, sites - listedSites);
  const text = messages.describe(versions, { versions: other_versions, sites: otherSites });
  const [only] = versions;
  return (
    <span className={styles.versions} role="img" aria-label={text} title={text}>
      <span className={styles.bar} data-wide={isWide || undefined}>
        {versions.map(({ version, sites: siteCount }) => (
          <span
            key={version}
            className={styles.part}
            data-newest={version === newest_version || undefined}
            style={{ flexGrow: siteCount }}
          />
        ))}
        {otherSites > 0 && <span className={styles.part} style={{ flexGrow: otherSites }} />}
      </span>
      {!isWide && (
        <span className={`${styles.text} truncate tabular`}>
          {only && versions.length === 1 && other_versions === 0
            ? only.version
            : messages.total(versions.length + other_versions)}
        </span>
      )}
    </span>
  );
}
