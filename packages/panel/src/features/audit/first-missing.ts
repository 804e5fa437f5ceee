import type { Trx } from '../../platform/database/handles.ts';
import { NO_HASH } from './audit-hashes.ts';
import { findLastLinkUpToRecord, type LinkHash, listLinksAt } from './audit-head.repository.ts';
import type { Checkpoint, SealedHead } from './audit-head-file.ts';

/** The first record that is missing from the chain, as precisely as the checkpoints show it. */
export type FirstMissing = {
  /** Its position in the chain. */
  seq: number;
  /** Null: unknown, because no checkpoint names this position. */
  record_id: number | null;
  /** Id of the last record before it; 0: none. */
  after_record_id: number;
};

const HASH_PREFIX_LENGTH = 16;
/** The head lists the newest 128 links. Of older links it lists every 128th, 4096th and 131072nd, 32 of each. */
const NEWEST_LINKS = 128;
const SPARSE_STEPS = [128, 4096, 131_072];
const LINKS_PER_STEP = 32;

export function toCheckpoint({ seq, record_id, hash }: LinkHash): Checkpoint {
  return [seq, record_id, hash.slice(0, HASH_PREFIX_LENGTH)];
}

/** Drops most older checkpoints, so that the file stays small. Input and output are newest first. */
export function thinCheckpoints(checkpoints: Checkpoint[]): Checkpoint[] {
  const kept = new Set(checkpoints.slice(0, NEWEST_LINKS));
  for (const step of SPARSE_STEPS) {
    const sparse = checkpoints.filter(([seq]) => seq % step === 0).slice(0, LINKS_PER_STEP);
    for (const checkpoint of sparse) kept.add(checkpoint);
  }
  return checkpoints.filter((checkpoint) => kept.has(checkpoint));
}

/** Returns null when the chain still contains the sealed head. */
export async function findFirstMissing(trx: Trx, head: SealedHead): Promise<FirstMissing | null> {
  const newest = { seq: head.records, record_id: head.record_id, hash: head.hash };
  const sealed = [toCheckpoint(newest), ...head.checkpoints];
  const links = await listLinksAt(
    trx,
    sealed.map(([seq]) => seq),
  );
  const hashes = new Map(links.map((link) => [link.seq, link.hash]));
  hashes.set(0, NO_HASH);
  if (hashes.get(head.records) === head.hash) return null;

  // Skip the head, whose full hash differs, and find the newest checkpoint that the chain still contains.
  const isInChain = ([seq, , hashPrefix]: Checkpoint) => hashes.get(seq)?.startsWith(hashPrefix);
  const intactIndex = sealed.findIndex((checkpoint, index) => index > 0 && isInChain(checkpoint));
  const [intactSeq, intactId] = sealed[intactIndex] ?? [0, 0];
  const [missingSeq, missingId] = sealed.at(intactIndex === -1 ? -1 : intactIndex - 1) ?? [1, 1];
  if (missingSeq === intactSeq + 1) {
    return { seq: missingSeq, record_id: missingId, after_record_id: intactId };
  }
  const range = { after: intactSeq, before: missingSeq, upToRecordId: head.record_id };
  const lastIntact = (await findLastLinkUpToRecord(trx, range)) ?? {
    seq: intactSeq,
    record_id: intactId,
  };
  if (lastIntact.seq + 1 === missingSeq) {
    return { seq: missingSeq, record_id: missingId, after_record_id: lastIntact.record_id };
  }
  return { seq: lastIntact.seq + 1, record_id: null, after_record_id: lastIntact.record_id };
}
