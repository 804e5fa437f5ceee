import { Title } from '@mantine/core';
import type { Overview } from '@steward/contract';
import { type ReactNode, useId } from 'react';
import { useHasPermission } from '../../../lib/session.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import { ExpiringLicenses } from './expiring-licenses.tsx';
import { OutdatedPlugins } from './outdated-plugins.tsx';
import styles from './overview.module.css';
import { PendingUpdates } from './pending-updates.tsx';
import { RecentRuns } from './recent-runs.tsx';
import { SitesByStatus } from './sites-by-status.tsx';

const { sections } = overviewMessages;

/** The sites by status, the pending updates, the latest runs and the expiring licenses. */
export function Fleet({ overview }: { overview: Overview }) {
  const isOwner = useHasPermission('owner');
  return (
    <div className={styles.sections}>
      <Section title={sections.sites} isWide>
        <SitesByStatus sites={overview.sites} />
      </Section>
      <Section title={sections.pending}>
        <PendingUpdates overview={overview} />
      </Section>
      <Section title={sections.outdated}>
        <OutdatedPlugins plugins={overview.outdated_plugins} />
      </Section>
      <Section title={sections.runs}>
        <RecentRuns />
      </Section>
      {isOwner && overview.expiring_licenses && (
        <Section title={sections.licenses}>
          <ExpiringLicenses licenses={overview.expiring_licenses} />
        </Section>
      )}
    </div>
  );
}

type SectionProps = { title: string; isWide?: boolean; children: ReactNode };

function Section({ title, isWide, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} data-wide={isWide || undefined} aria-labelledby={id}>
      <Title order={2} id={id} className={styles.sectionTitle}>
        {title}
      </Title>
      {children}
    </section>
  );
}
