import type { Trx } from '../../platform/database/tables.ts';
import { NO_HASH } from './audit-hashes.ts';
import { findLastOlderLink, type LinkHash, listLinksAt } from './audit-head.repository.ts';
import type { Checkpoint, SealedHead } from './audit-head-file.ts';

/** Which record is the first that the chain has lost, as closely as the sealed head can tell. */
export type FirstMissing = {
  /** Its number in the chain. */
  seq: number;
  /** Null: it is older than the links that the sealed head lists one by one. */
  record_id: number | null;
  /** The last record that is still there; 0: none is. */
  after_record_id: number;
};

const HASH_START_LENGTH = 16;
/** So many links are listed one by one; of older ones every 128th, 4096th and 131072nd. */
const LISTED_LINKS = 128;
const SPARSE_STEPS = [128, 4096, 131_072];
const SPARSE_LINKS = 32;

export function checkpointOf({ seq, record_id, hash }: LinkHash): Checkpoint {
  return [seq, record_id, hash.slice(0, HASH_START_LENGTH)];
}

/** Fewer the older they are, so that the file stays small. Takes and returns the newest first. */
export function thinOut(checkpoints: Checkpoint[]): Checkpoint[] {
  const kept = new Set(checkpoints.slice(0, LISTED_LINKS));
  for (const step of SPARSE_STEPS) {
    const some = checkpoints.filter(([seq]) => seq % step === 0).slice(0, SPARSE_LINKS);
    for (const checkpoint of some) kept.add(checkpoint);
  }
  return checkpoints.filter((checkpoint) => kept.has(checkpoint));
}

/** Null: the chain still holds the sealed head. */
export async function findFirstMissing(trx: Trx, head: SealedHead): Promise<FirstMissing | null> {
  const newest = { seq: head.records, record_id: head.record_id, hash: head.hash };
  const sealed = [checkpointOf(newest), ...head.earlier];
  const links = await listLinksAt(
    trx,
    sealed.map(([seq]) => seq),
  );
  const found = new Map(links.map((link) => [link.seq, link.hash]));
  found.set(0, NO_HASH);
  if (found.get(head.records) === head.hash) return null;

  // The head was compared by its whole hash; of the links before it, the newest that is still there counts.
  const isThere = ([seq, , hashStart]: Checkpoint) => found.get(seq)?.startsWith(hashStart);
  const lastAt = sealed.findIndex((checkpoint, index) => index > 0 && isThere(checkpoint));
  const [lastSeq, lastId] = sealed[lastAt] ?? [0, 0];
  const [nextSeq, nextId] = sealed.at(lastAt === -1 ? -1 : lastAt - 1) ?? [1, 1];
  if (nextSeq === lastSeq + 1) {
    return { seq: nextSeq, record_id: nextId, after_record_id: lastId };
  }
  const range = { after: lastSeq, before: nextSeq, upToRecordId: head.record_id };
  const last = (await findLastOlderLink(trx, range)) ?? { seq: lastSeq, record_id: lastId };
  if (last.seq + 1 === nextSeq) {
    return { seq: nextSeq, record_id: nextId, after_record_id: last.record_id };
  }
  return { seq: last.seq + 1, record_id: null, after_record_id: last.record_id };
}
