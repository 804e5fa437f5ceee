import { Text, Title } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useCallback, useId, useState } from 'react';
import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import type { Rollout, RolloutSite } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { percentDone, type Ring, ringState, summarizeCounts } from '../rollout-state.ts';
import styles from './ring-column.module.css';
import { SiteDots } from './site-dots.tsx';
import { SiteEntry } from './site-entry.tsx';

const messages = rolloutMessages.ring;
const MAX_PROBLEMS = 20;
const isProblem = ({ state }: RolloutSite) => state === 'troubled' || state === 'failed';

type Props = { rollout: Rollout; ring: Ring; sites: RolloutSite[] };

/**
 * A step of the flow: the state of the ring, its progress on the line to the next ring, its sites as dots, and the sites that
 * need attention.
 */
export function RingColumn({ rollout, ring, sites }: Props) {
  const id = useId();
  const [selectedId, setSelectedId] = useState<number | null>(null);
  const toggle = useCallback(
    (siteId: number) => setSelectedId((before) => (before === siteId ? null : siteId)),
    [],
  );
  const { kind, word } = ringState(rollout, ring);
  const isFinal = ring === rollout.rings.at(-1);
  const problems = sites.filter(isProblem);
  const selected = sites.find(({ site_id }) => site_id === selectedId);
  return (
    <section aria-labelledby={id} className={styles.ring}>
      <div className={styles.track} data-kind={kind} data-final={isFinal || undefined}>
        <StatusLabel kind={kind}>{word}</StatusLabel>
        <span className={styles.line}>
          <span style={{ width: `${percentDone(ring)}%` }} />
        </span>
        {!isFinal && <IconChevronRight size={16} aria-hidden className={styles.arrow} />}
      </div>
      <header className={styles.header}>
        <Title order={2} id={id} className={styles.name}>
          {ring.name}
        </Title>
        <span className={`${styles.sites} tabular`}>{messages.sites(ring.sites)}</span>
      </header>
      {ring.sites > 0 && (
        <Text size="sm" c="dimmed" className="tabular">
          {summarizeCounts(ring.counts)}
        </Text>
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
