import { Title } from '@mantine/core';
import type { Overview } from '@steward/contract';
import { type ReactNode, useId } from 'react';
import { overviewMessages } from '../../../messages/overview.ts';
import { Attention } from './attention.tsx';
import styles from './overview.module.css';
import { RecentRuns } from './recent-runs.tsx';
import { SitesByStatus } from './sites-by-status.tsx';
import { UpdateChart } from './update-chart.tsx';
import { VersionsInUse } from './versions-in-use.tsx';

const { sections } = overviewMessages;

/** What needs attention is on the left, the state of the fleet on the right. The latest runs are below. */
export function Fleet({ overview }: { overview: Overview }) {
  return (
    <div className={styles.sections}>
      <Section title={sections.attention} area="main">
        <Attention overview={overview} />
      </Section>
      <Section title={sections.updates}>
        <UpdateChart days={overview.updates_by_day} />
      </Section>
      <Section title={sections.versions}>
        <VersionsInUse versions={overview.versions} />
      </Section>
      <Section title={sections.sites}>
        <SitesByStatus sites={overview.sites} />
      </Section>
      <Section title={sections.runs} area="wide">
        <RecentRuns />
      </Section>
    </div>
  );
}

/** `main` is the left column, `wide` takes both columns. */
type SectionProps = { title: string; area?: 'main' | 'wide'; children: ReactNode };

function Section({ title, area, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} data-area={area} aria-labelledby={id}>
      <Title order={2} id={id} className={styles.sectionTitle}>
        {title}
      </Title>
      {children}
    </section>
  );
}
