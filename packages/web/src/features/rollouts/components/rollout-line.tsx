import { ActivityLine } from '../../../components/activity-line.tsx';
import type { Rollout } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { rolloutState, sumCounts, summarizeCounts } from '../rollout-state.ts';
import { RingBar } from './ring-bar.tsx';

const messages = rolloutMessages.list;

/** One rollout with its state, and one bar per ring. */
export function RolloutLine({ rollout }: { rollout: Rollout }) {
  const rings = rollout.rings.filter(({ sites }) => sites > 0);
  return (
    <ActivityLine
      link={{ to: '/rollouts/$rolloutId', params: { rolloutId: String(rollout.rollout_id) } }}
      state={rolloutState(rollout)}
      title={rollout.name}
      bars={rings.map((ring) => (
        <RingBar
          key={ring.position}
          counts={ring.counts}
          total={ring.sites}
          label={messages.ringProgress(ring.name, summarizeCounts(ring.counts))}
        />
      ))}
      summary={summarizeCounts(sumCounts(rollout.rings))}
      startedBy={messages.startedBy(rollout.created_by ?? rolloutMessages.unknownUser)}
      at={rollout.created_at}
    />
  );
}
