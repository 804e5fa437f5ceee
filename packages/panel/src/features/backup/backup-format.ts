import { hash, timingSafeEqual } from 'node:crypto';
import { createHmacSha256, type Secrets } from '../../platform/secrets.ts';

/**
 * A backup is a tar file. It contains the rows of each table in parts, in the text format of COPY and compressed, then
 * the manifest, then its seal: docs/decisions/0031-backups.md.
 */

export const BACKUP_FORMAT = 1;
export const MANIFEST_NAME = 'manifest.json';
export const SEAL_NAME = 'seal.json';

export type BackupPart = { name: string; bytes: number; sha256: string };

export type BackedUpTable = {
  name: string;
  /** Without generated columns, which PostgreSQL computes again. */
  columns: string[];
  rows: number;
  parts: BackupPart[];
};

export type Manifest = {
  format: number;
  steward_version: string;
  created_at: string;
  /** Shows whether a secret is the secret of the panel, and reveals nothing about it. */
  secret_check: string;
  /** The migrations of the database, in order. */
  migrations: string[];
  tables: BackedUpTable[];
  /** The tables whose rows the backup does not contain. */
  left_out: string[];
  /** The last value of each sequence; null: never used, or the role of the panel may not read it. */
  sequences: { name: string; value: number | null }[];
  /** Partitions of tables, with their bounds. */
  partitions: { name: string; table: string; bound: string }[];
};

/** Protects the manifest, which contains the hashes of all parts. */
type Seal = {
  sha256: string;
  /** Only the panel with its secret can create it, so a changed backup is recognised. */
  hmac: string;
};

export const computeSecretCheck = (secrets: Secrets) =>
  secrets.fingerprint('steward/backup-secret-check');

export function createSeal(manifest: Buffer, secrets: Secrets): Buffer {
  const seal: Seal = { sha256: sha256Of(manifest), hmac: computeHmac(manifest, secrets) };
  return Buffer.from(`${JSON.stringify(seal, null, 2)}\n`);
}

export function isIntact(manifest: Buffer, seal: Buffer): boolean {
  return isEqual(parseSeal(seal).sha256, sha256Of(manifest));
}

export function isSealedWith(secrets: Secrets, manifest: Buffer, seal: Buffer): boolean {
  return isEqual(parseSeal(seal).hmac, computeHmac(manifest, secrets));
}

export const sha256Of = (bytes: Buffer) => hash('sha256', bytes, 'hex');

const computeHmac = (manifest: Buffer, secrets: Secrets) =>
  createHmacSha256(secrets.keyFor('backup'))(sha256Of(manifest));

function parseSeal(text: Buffer): Partial<Seal> {
  try {
    return JSON.parse(text.toString('utf8')) ?? {};
  } catch {
    return {};
  }
}

function isEqual(one: unknown, other: string): boolean {
  const [left, right] = [Buffer.from(String(one)), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
