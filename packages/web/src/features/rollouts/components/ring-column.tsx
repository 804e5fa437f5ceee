import { Text, Title } from '@mantine/core';
import { useCallback, useId, useState } from 'react';
import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import type { Rollout, RolloutSite } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { isLast, type Ring, ringState, summarizeCounts } from '../rollout-state.ts';
import { EndSoakButton } from './end-soak-button.tsx';
import styles from './ring-column.module.css';
import { SiteDots } from './site-dots.tsx';
import { SiteEntry } from './site-entry.tsx';

const messages = rolloutMessages.ring;
const MAX_PROBLEMS = 20;
const isProblem = ({ state }: RolloutSite) => state === 'troubled' || state === 'failed';

type Props = { rollout: Rollout; ring: Ring; sites: RolloutSite[] };

/** A ring: its progress, its sites as dots, and the sites that need attention. */
export function RingColumn({ rollout, ring, sites }: Props) {
  const id = useId();
  const [selectedId, setSelectedId] = useState<number | null>(null);
  const toggle = useCallback(
    (siteId: number) => setSelectedId((before) => (before === siteId ? null : siteId)),
    [],
  );
  const { kind, word } = ringState(rollout, ring);
  const isSoaking = rollout.status === 'soaking' && ring.position === rollout.ring;
  const problems = sites.filter(isProblem);
  const selected = sites.find(({ site_id }) => site_id === selectedId);
  return (
    <section aria-labelledby={id} className={styles.ring}>
      <header className={styles.header}>
        <Title order={2} id={id} className={styles.name}>
          {ring.name}
        </Title>
        <span className={`${styles.sites} tabular`}>{messages.sites(ring.sites)}</span>
        <span className={styles.state}>
          <StatusLabel kind={kind}>{word}</StatusLabel>
        </span>
      </header>
      {ring.sites > 0 && (
        <Text size="sm" c="dimmed" className="tabular">
          {summarizeCounts(ring.counts)}
        </Text>
      )}
      {isSoaking && ring.soak_ends_at !== null && (
        <div className={styles.soak}>
          <span>
            {isLast(rollout, ring) ? messages.finishes : messages.nextStarts}
            <RelativeTime at={ring.soak_ends_at} due={messages.due} />.
          </span>
          <EndSoakButton rollout={rollout} ring={ring} />
        </div>
      )}
      <div className={styles.dots}>
        <SiteDots ring={ring.name} sites={sites} selectedId={selectedId} onSelect={toggle} />
      </div>
      <div aria-live="polite">
        {selected && !isProblem(selected) && <SiteEntry site={selected} />}
      </div>
      {problems.length > 0 && (
        <ul className={styles.problems} aria-label={messages.problems(ring.name)}>
          {problems.slice(0, MAX_PROBLEMS).map((site) => (
            <li key={site.site_id} data-selected={site.site_id === selectedId || undefined}>
              <SiteEntry site={site} />
            </li>
          ))}
          {problems.length > MAX_PROBLEMS && (
            <li className={styles.more}>{messages.more(problems.length - MAX_PROBLEMS)}</li>
          )}
        </ul>
      )}
      {ring.run_ids.length > 0 && (
        <div className={styles.runs}>
          {ring.run_ids.map((runId) => (
            <TextLink key={runId} to="/runs/$runId" params={{ runId: String(runId) }} size="sm">
              {messages.run(runId)}
            </TextLink>
          ))}
        </div>
      )}
    </section>
  );
}
