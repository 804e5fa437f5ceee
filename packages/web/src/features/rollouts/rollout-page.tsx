import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { StatusLabel } from '../../components/status-label.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { errorCodeOf } from '../../lib/api.ts';
import {
  isActive,
  type Rollout,
  type RolloutWithSites,
  rolloutQuery,
} from '../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../messages/rollouts.ts';
import { EndRolloutButton } from './components/end-rollout-button.tsx';
import { HaltBanner } from './components/halt-banner.tsx';
import { Legend } from './components/legend.tsx';
import { NextStep } from './components/next-step.tsx';
import { ProofBanner } from './components/proof-banner.tsx';
import { ProofNotes } from './components/proof-notes.tsx';
import { RingColumn } from './components/ring-column.tsx';
import styles from './rollout-page.module.css';
import {
  countHiddenSites,
  countSites,
  type Ring,
  rolloutState,
  sumCounts,
} from './rollout-state.ts';

const messages = rolloutMessages.page;
const BACK = { to: '/rollouts', label: rolloutMessages.list.title } as const;
const NOT_FOUND_CODES = ['rollout_not_found', 'not_found', 'invalid_request'];

export function RolloutPage() {
  const { rolloutId } = useParams({ from: '/signed-in/rollouts/$rolloutId' });
  const id = /^[1-9]\d{0,14}$/.test(rolloutId) ? Number(rolloutId) : 0;
  const { data, error, refetch } = useQuery(rolloutQuery(id));
  if (data) return <FoundRollout data={data} error={error} onRetry={refetch} />;
  if (error && NOT_FOUND_CODES.includes(errorCodeOf(error) ?? '')) {
    return (
      <NotFound entity={messages.noun} back={BACK}>
        {messages.notFoundReason}
      </NotFound>
    );
  }
  return (
    <>
      <PageHeader title={messages.title} note="" back={BACK} />
      {error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows />}
    </>
  );
}

type Props = { data: RolloutWithSites; error: unknown; onRetry: () => void };

function FoundRollout({ data, error, onRetry }: Props) {
  const { rollout, sites } = data;
  const sitesByRing = useMemo(() => Map.groupBy(sites, ({ ring }) => ring), [sites]);
  const { kind, word } = rolloutState(rollout);
  const total = countSites(rollout);
  const counts = sumCounts(rollout.rings);
  const hidden = countHiddenSites(rollout, sites);
  return (
    <>
      <PageHeader
        title={rollout.name}
        tabTitle={messages.tabTitle(word, rollout.name)}
        back={BACK}
        note={
          <>
            <div>
              {messages.started(rollout.created_by ?? rolloutMessages.unknownUser)}
              <RelativeTime at={rollout.created_at} />.
            </div>
            <div className={`${styles.state} tabular`} role="status">
              <StatusLabel kind={kind}>{word}</StatusLabel>
              <span>{messages.progress(counts.updated + counts.unchecked, total)}</span>
            </div>
          </>
        }
        // The banner of a halted rollout has this button.
        action={isActive(rollout) && <EndRolloutButton rollout={rollout} />}
      />
      {error != null && <ErrorNote error={error} onRetry={onRetry} />}
      <HaltedBanner rollout={rollout} sites={sites} />
      <ProofNotes rollout={rollout} />
      {isActive(rollout) && <NextStep rollout={rollout} />}
      <Legend counts={counts} />
      <ol className={styles.rings} aria-label={rolloutMessages.plan.rings}>
        {rollout.rings.map((ring) => (
          <li key={ring.position} aria-current={isCurrent(rollout, ring) ? 'step' : undefined}>
            <RingColumn
              rollout={rollout}
              ring={ring}
              sites={sitesByRing.get(ring.position) ?? NO_SITES}
            />
          </li>
        ))}
      </ol>
      {hidden > 0 && (
        <Text c="dimmed" size="sm" mt="md">
          {messages.hiddenSites(hidden)}
        </Text>
      )}
    </>
  );
}

/** A quarantined version must be lifted first, also if the rollout waits for proof. */
function HaltedBanner({ rollout, sites }: RolloutWithSites) {
  if (rollout.status !== 'halted') return null;
  const waitsForProof =
    rollout.halt_code === 'waits_for_proof' && rollout.held_versions.length === 0;
  return waitsForProof ? (
    <ProofBanner rollout={rollout} sites={sites} />
  ) : (
    <HaltBanner rollout={rollout} sites={sites} />
  );
}

const isCurrent = ({ status, ring }: Rollout, { position }: Ring): boolean =>
  position === ring && status !== 'finished' && status !== 'cancelled';

const NO_SITES: RolloutWithSites['sites'] = [];
