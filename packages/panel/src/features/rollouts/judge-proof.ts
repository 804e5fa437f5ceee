import type { RolloutItem, RolloutSettings } from '@steward/contract';
import { describeItems } from './describe-item.ts';

/** What the sites of a ring say about an item when its soak time ends. */
export type ItemProof = {
  /** Sites that had an older version when the ring started, or still have it. */
  needing: number;
  /** Sites on which a task of the ring installed the version. */
  installed: number;
  /** Of these, the sites whose update was verified, which still have the version and are not troubled by it. */
  proven: number;
  /** Whether a site of a later ring has an older version. */
  isNeededLater: boolean;
  /** A user decided to continue without proof. */
  isExcepted: boolean;
};

export type JudgedItem = { item: RolloutItem; proof: ItemProof; required: number };

/**
 * Decides which items stop at the end of a ring. An item moves to the next ring if enough sites of this ring proved it: one,
 * or the share that the plan names. If no site of the ring has an older version, the ring can prove nothing, and the next
 * ring with such sites has this duty. An item that no later ring needs does not stop: nothing follows.
 */
export function judgeProof(
  items: RolloutItem[],
  proofOf: (item: RolloutItem) => ItemProof,
  { proof_percent }: Pick<RolloutSettings, 'proof_percent'>,
): { continuing: RolloutItem[]; stopped: JudgedItem[] } {
  const judged = items.map((item): JudgedItem => {
    const proof = proofOf(item);
    return { item, proof, required: countRequired(proof.needing, proof_percent) };
  });
  const stopped = judged.filter(mustStop);
  const continuing = judged.filter((each) => !mustStop(each)).map(({ item }) => item);
  return { continuing, stopped };
}

function mustStop({ proof, required }: JudgedItem): boolean {
  const { needing, proven, isNeededLater, isExcepted } = proof;
  return needing > 0 && proven < required && isNeededLater && !isExcepted;
}

const countRequired = (needing: number, percent: number): number =>
  // Rounded first: 7 % of 100 sites would be 7.000000000000001 sites otherwise.
  Math.max(1, Math.ceil(Number(((needing * percent) / 100).toFixed(6))));

/** Says why the items stopped, for the reason of the halt. */
export function describeMissingProof(ring: string, stopped: JudgedItem[]): string {
  const missing = stopped.filter(({ proof }) => proof.installed === 0);
  const unverified = stopped.filter(({ proof }) => proof.installed > 0 && proof.proven === 0);
  const few = stopped.filter(({ proof }) => proof.proven > 0);
  return [
    missing.length > 0 &&
      `No site of the ring ${ring} installed ${describeItems(toItems(missing))}.`,
    unverified.length > 0 &&
      `Sites of the ring ${ring} installed ${describeItems(toItems(unverified))}, but no site proves it: each one was not verified, is troubled or was restored.`,
    ...few.map(
      ({ item, proof, required }) =>
        `${proof.proven} of ${proof.needing} sites of the ring ${ring} ${proof.proven === 1 ? 'proves' : 'prove'} ${describeItems([item])}. The plan needs ${required}.`,
    ),
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

const toItems = (judged: JudgedItem[]) => judged.map(({ item }) => item);
