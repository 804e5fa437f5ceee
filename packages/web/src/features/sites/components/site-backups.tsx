import { Text, Title } from '@mantine/core';
import { isWordPress, type SiteBackup, type SiteDetails } from '@steward/contract';
import { useId } from 'react';
import { RelativeTime } from '../../../components/time.tsx';
import { backupMessages as messages } from '../../../messages/backups.ts';
import pageStyles from '../site-page.module.css';
import styles from './site-facts.module.css';

/** When the backup plugins of the site last completed a backup. */
export function SiteBackups({ site }: { site: SiteDetails }) {
  const titleId = useId();
  const { backups, backed_up_at } = site;
  return (
    <section className={pageStyles.section} aria-labelledby={titleId}>
      <Title order={2} id={titleId}>
        {messages.title}
      </Title>
      {backups === null || backups.length === 0 ? (
        <Text size="sm">
          {backups === null ? messages.notReported(isWordPress(site)) : messages.noPlugin}
        </Text>
      ) : (
        <>
          <Text size="sm" mb="xs">
            {backed_up_at === null ? (
              messages.noFullBackup
            ) : (
              <>
                {messages.fullBackup} <RelativeTime at={backed_up_at} />
              </>
            )}
          </Text>
          <dl className={styles.facts}>
            {backups.map((backup) => (
              <div key={`${backup.plugin} ${backup.contains}`} className={styles.fact}>
                <dt>{messages.plugin(backup.name, backup.contains)}</dt>
                <dd className="tabular">
                  <Time backup={backup} />
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

function Time({ backup: { plugin, backed_up_at } }: { backup: SiteBackup }) {
  if (backed_up_at !== null) return <RelativeTime at={backed_up_at} />;
  return plugin === 'jetpack' ? messages.notStored : messages.notKnown;
}
