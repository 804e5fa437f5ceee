import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { listMigrations } from '../../platform/database/migrate.ts';
import { leaveOutReplaced } from '../../platform/database/schema-state.ts';
import type { Secrets } from '../../platform/secrets.ts';
import {
  BACKUP_FORMAT,
  type BackedUpTable,
  computeSecretCheck,
  isIntact,
  isSealedWith,
  MANIFEST_NAME,
  type Manifest,
  SEAL_NAME,
  sha256Of,
} from './backup-format.ts';
import { BLOCK_BYTES, paddingOf, parseTarHeader } from './tar.ts';

const decompress = promisify(gunzip);

/** Bounds the memory for one entry: a part, or the manifest, which has a few hundred bytes for each part. */
const ENTRY_MAX_BYTES = 256 * 1024 * 1024;

export type OpenBackup = {
  manifest: Manifest;
  bytes: number;
  /** Throws unless this panel and version can restore the backup. Does not read the rows. */
  assertRestorable(secrets: Secrets): Promise<void>;
  /** Reads all parts and compares their hashes. */
  verifyParts(): Promise<void>;
  /** The rows of a table, in the text format of COPY. */
  readRows(table: BackedUpTable): AsyncGenerator<Buffer>;
  close(): Promise<void>;
};

type Entry = { name: string; bytes: number; start: number };

/** Opens a backup. Throws if its structure or its manifest is damaged. */
export async function openBackup(path: string): Promise<OpenBackup> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`${path} does not exist.`) : error;
  });
  try {
    return await readBackup(file, basename(path));
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readBackup(file: FileHandle, name: string): Promise<OpenBackup> {
  const damaged = (detail: string) =>
    new Error(`${name} is damaged or incomplete (${detail}). Use another backup.`);
  const { size } = await file.stat();
  const entries = await listEntries(file, size, name);

  async function readEntry(entryName: string): Promise<Buffer> {
    const entry = entries.get(entryName);
    if (!entry) throw damaged(`${entryName} is missing`);
    const content = Buffer.alloc(entry.bytes);
    const { bytesRead } = await file.read(content, 0, entry.bytes, entry.start);
    if (bytesRead !== entry.bytes) throw damaged(`${entryName} is incomplete`);
    return content;
  }

  async function readPart({ name: partName, sha256 }: BackedUpTable['parts'][number]) {
    const content = await readEntry(partName);
    if (sha256Of(content) !== sha256) throw damaged(`${partName} does not match its checksum`);
    return content;
  }

  const text = await readEntry(MANIFEST_NAME);
  const seal = await readEntry(SEAL_NAME);
  if (!isIntact(text, seal)) throw damaged(`${MANIFEST_NAME} does not match its checksum`);
  const manifest: Manifest = JSON.parse(text.toString('utf8'));

  return {
    manifest,
    bytes: size,
    async assertRestorable(secrets) {
      await assertKnownVersion(manifest, name);
      if (manifest.secret_check !== computeSecretCheck(secrets)) {
        throw new Error(
          `The secret does not match ${name}. Set SECRET_KEY to the secret of the panel that created the backup, or copy its secret.key to the data directory. Nothing was restored.`,
        );
      }
      if (!isSealedWith(secrets, text, seal)) {
        throw new Error(
          `${name} was changed after it was created: its signature is not valid. Use another backup.`,
        );
      }
    },
    async verifyParts() {
      for (const part of manifest.tables.flatMap(({ parts }) => parts)) await readPart(part);
    },
    async *readRows({ parts }) {
      for (const part of parts) yield await decompress(await readPart(part));
    },
    close: () => file.close(),
  };
}

async function assertKnownVersion(manifest: Manifest, name: string): Promise<void> {
  const known = await listMigrations();
  const migrations = leaveOutReplaced(manifest.migrations, {
    subject: name,
    command: 'npx steward restore',
  });
  const isKnown =
    manifest.format === BACKUP_FORMAT && migrations.every((each) => known.includes(each));
  if (isKnown) return;
  throw new Error(
    `${name} was created by a newer version of Steward (${manifest.steward_version}). Install that version or a newer one, and restore again.`,
  );
}

async function listEntries(
  file: FileHandle,
  size: number,
  name: string,
): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, position);
    const header = parseTarHeader(block.subarray(0, bytesRead));
    if (header === undefined && position === 0) throw new Error(`${name} is not a Steward backup.`);
    const start = position + BLOCK_BYTES;
    const end = start + (header?.bytes ?? 0);
    if (header === undefined || end > size || (header?.bytes ?? 0) > ENTRY_MAX_BYTES) {
      throw new Error(
        `${name} is damaged or incomplete (at byte ${position} of ${size}). Use another backup.`,
      );
    }
    if (header === null) return entries;
    entries.set(header.name, { ...header, start });
    position = end + paddingOf(header.bytes);
  }
}
