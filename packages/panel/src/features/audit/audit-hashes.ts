import { createHmacSha256, type Secrets } from '../../platform/secrets.ts';
import type { StoredRecord } from './stored-record.ts';

/** What a link says, without its own hash. Hashes are in hex. */
export type LinkContent = {
  seq: number;
  record_id: number;
  record_hash: string;
  previous_hash: string;
};

export type Link = LinkContent & { hash: string };

/** Keyed with the panel's secret: rights in the database are not enough to make one that fits. */
export type AuditHashes = {
  ofRecord(record: StoredRecord): string;
  ofLink(link: LinkContent): string;
};

/** What the first link has for the hash of the one before. */
export const NO_HASH = '0'.repeat(64);

export function createAuditHashes(secrets: Secrets): AuditHashes {
  const hmac = createHmacSha256(secrets.keyFor('audit_chain'));
  // A list in JSON: no two lists have the same text, whatever stands in their fields. Its first
  // item keeps the two uses of the key apart.
  return {
    ofRecord: (record) =>
      hmac(
        JSON.stringify([
          'record',
          record.id,
          record.at,
          record.actor,
          record.action,
          record.entity_type,
          record.entity_id,
          record.site_id,
          record.context,
          record.ip,
          record.request_id,
          record.previous_seq,
          record.previous_hash,
        ]),
      ),
    ofLink: (link) =>
      hmac(
        JSON.stringify(['link', link.seq, link.record_id, link.record_hash, link.previous_hash]),
      ),
  };
}
