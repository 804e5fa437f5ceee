import { createHmacSha256, type Secrets } from '../../platform/secrets.ts';
import type { StoredRecord } from './stored-record.ts';

/** A link without its own hash. Hashes are in hex. */
export type LinkContent = {
  seq: number;
  record_id: number;
  record_hash: string;
  previous_hash: string;
};

export type Link = LinkContent & { hash: string };

/** HMACs with the panel's secret: an attacker with only database access cannot forge a hash. */
export type AuditHashes = {
  hashRecord(record: StoredRecord): string;
  hashLink(link: LinkContent): string;
  /** Signs the manifest of an export. It does not prove that the records were detached. */
  hashManifest(content: string): string;
  /** Signs a checkpoint, in the transaction that detaches its records. */
  hashCheckpoint(content: string): string;
};

/** The `previous_hash` of the first link. */
export const NO_HASH = '0'.repeat(64);

export function createAuditHashes(secrets: Secrets): AuditHashes {
  const hmac = createHmacSha256(secrets.keyFor('audit_chain'));
  // A JSON array is unambiguous: different fields never give the same text. The first item keeps a record hash from
  // being valid as a link hash.
  return {
    hashRecord: (record) =>
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
    hashLink: (link) =>
      hmac(
        JSON.stringify(['link', link.seq, link.record_id, link.record_hash, link.previous_hash]),
      ),
    hashManifest: (content) => hmac(JSON.stringify(['manifest', content])),
    hashCheckpoint: (content) => hmac(JSON.stringify(['checkpoint', content])),
  };
}
