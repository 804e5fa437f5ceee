import { isNewerVersion, type RolloutItem } from '@steward/contract';
import type { Trx } from '../../platform/database/handles.ts';
import type { CancelDependencies } from '../runs/index.ts';
import { halt } from './halt-rollout.ts';
import { isSameItem, listTroubles } from './items-over-limit.ts';
import { describeMissingProof, type ItemProof, judgeProof } from './judge-proof.ts';
import {
  countProofs,
  listNeededLater,
  listReportedVersions,
  type ReportedVersion,
} from './proof.repository.ts';
import { type RingRow, type RolloutRow, updateRing } from './rollouts.repository.ts';
import { splitRollout } from './split-rollout.ts';

/**
 * Stops the items that the ring did not prove in its soak time. They move into a rollout of their own, which halts. Returns
 * the rollout with the items that go on; null if all items stop, and the rollout itself halts. The caller has locked it.
 */
export async function stopWithoutProof(
  trx: Trx,
  rollout: RolloutRow,
  ring: RingRow,
  soakEndsAt: Date,
  deps: CancelDependencies,
): Promise<RolloutRow | null> {
  const older = await listOlderVersions(trx, rollout);
  const proofOf = await readProofs(trx, rollout, ring, older);
  const { proof_percent = 0 } = rollout.settings;
  const { continuing, stopped } = judgeProof(rollout.items, proofOf, { proof_percent });
  if (stopped.length === 0) return rollout;
  // After a decision to continue without proof, the soak time is over.
  if (ring.sites > 0) await updateRing(trx, ring, { soak_ends_at: soakEndsAt });
  const reason = describeMissingProof(ring.name, stopped);
  if (continuing.length === 0) {
    await halt(trx, rollout, ring, reason, deps, 'waits_for_proof');
    return null;
  }
  const items = stopped.map(({ item }) => item);
  const { rest, split } = await splitRollout(
    trx,
    rollout,
    { stopped: items, continuing, older },
    deps,
  );
  await halt(trx, split, { ...ring, rollout_id: split.id }, reason, deps, 'waits_for_proof');
  return rest;
}

async function listOlderVersions(trx: Trx, { id, items }: RolloutRow): Promise<ReportedVersion[]> {
  const reported = await listReportedVersions(trx, id, items);
  return reported.filter((each) => {
    const item = items.find((wanted) => isSameItem(wanted, each));
    return item && isNewerVersion(item.version, each.version);
  });
}

async function readProofs(
  trx: Trx,
  { id, items, proof_exceptions }: RolloutRow,
  { position }: RingRow,
  older: ReportedVersion[],
): Promise<(item: RolloutItem) => ItemProof> {
  const ring = { rolloutId: id, ring: position };
  const suspects = (await listTroubles(trx, id, { withAccepted: true })).flatMap((trouble) =>
    trouble.items.map(({ type, slug }) => ({ site_id: trouble.site_id, type, slug })),
  );
  const counts = await countProofs(trx, ring, { items, older, suspects });
  const neededLater = await listNeededLater(trx, ring, older);
  return (item) => {
    const {
      needing = 0,
      installed = 0,
      proven = 0,
    } = counts.find((count) => isSameItem(item, count)) ?? {};
    return {
      ...{ needing, installed, proven },
      isNeededLater: neededLater.some((later) => isSameItem(item, later)),
      isExcepted: proof_exceptions.some(
        (exception) =>
          exception.ring === position &&
          exception.items.some((excepted) => isSameItem(item, excepted)),
      ),
    };
  };
}
