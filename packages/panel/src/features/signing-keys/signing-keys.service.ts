import { keySigningText } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { createSigner, generateKeyPair } from '../../platform/ed25519.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { type CallNonces, createCallNonces } from '../../site-client/call-nonces.ts';
import type { AuditService } from '../audit/index.ts';
import {
  countSitesWithoutKeySince,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  retireSigningKeys,
  type SigningKeyRow,
} from './signing-keys.repository.ts';

/** The signing key that the panel announces to sites. */
export type AnnouncedKey = {
  public_key: string;
  /** The previous key and its signature over the new key, for sites that still trust only the previous key. */
  previous?: { public_key: string; signature: string };
};

/** The signing keys for calls to sites. */
export type SigningKeyService = CallNonces & {
  /** Signs with all keys that are not retired: a site may not know the newest key yet. */
  sign(text: string): Promise<string[]>;
  getAnnouncedKey(): Promise<AnnouncedKey>;
  /** Creates a new key. Sites learn it at their next check-in; the old key also signs until it is retired. */
  rotate(origin: AuditOrigin): Promise<AnnouncedKey>;
  /** Counts connected sites that may know only the previous key. 0 if there is no previous key. */
  countSitesWithPreviousKey(): Promise<number>;
  /** Retires all keys except the newest. Sites without a check-in since the rotation must be connected again. */
  retire(origin: AuditOrigin): Promise<{ retired: number }>;
};

type Dependencies = { db: Database; secrets: Secrets; clock: Clock; audit: AuditService };

/** After a rotation, other processes sign with the previous keys for up to this time. */
const CACHE_MS = 10_000;

type UsableKey = SigningKeyRow & { sign(text: string): string };
/** Newest first. */
type Keys = [UsableKey, ...UsableKey[]];

export function createSigningKeyService(deps: Dependencies): SigningKeyService {
  const { db, secrets, clock, audit } = deps;
  // Cache the promise, not the keys: a slow read must not refill the cache after `rotate` cleared it.
  let cached: { keys: Promise<Keys>; expiresAt: number } | null = null;
  let lastKnownKeys: Keys | null = null;

  async function getKeys(): Promise<Keys> {
    if (!cached || performance.now() > cached.expiresAt) {
      cached = { keys: readOrCreateKeys(), expiresAt: performance.now() + CACHE_MS };
    }
    try {
      const keys = await cached.keys;
      lastKnownKeys = keys;
      return keys;
    } catch (error) {
      cached = null;
      // While the database is unavailable, sign with the last known keys.
      if (!lastKnownKeys) throw error;
      return lastKnownKeys;
    }
  }

  async function readOrCreateKeys(): Promise<Keys> {
    let rows = await listSigningKeys(db);
    if (rows.length === 0) {
      rows = await db.transaction().execute(async (trx) => {
        await lockSigningKeys(trx);
        if ((await listSigningKeys(trx)).length === 0) await addKey(trx, null);
        return listSigningKeys(trx);
      });
    }
    const [first, ...others] = rows.map(toUsableKey);
    if (!first) throw new Error('No signing key exists.');
    return [first, ...others];
  }

  function toUsableKey(row: SigningKeyRow): UsableKey {
    const privateKey = secrets.decrypt(row.private_key_encrypted, 'signing_key');
    return { ...row, sign: createSigner({ publicKey: row.public_key, privateKey }) };
  }

  async function addKey(trx: Trx, previous: UsableKey | null): Promise<number> {
    const { publicKey, privateKey } = generateKeyPair();
    return insertSigningKey(trx, {
      public_key: publicKey,
      private_key_encrypted: secrets.encrypt(privateKey, 'signing_key'),
      signed_by_previous: previous?.sign(keySigningText(publicKey)) ?? null,
      created_at: clock.now(),
    });
  }

  const toAnnouncedKey = ([newest, previous]: UsableKey[]): AnnouncedKey => {
    if (!newest) throw new Error('No signing key exists.');
    const { public_key, signed_by_previous: signature } = newest;
    if (!previous || signature === null) return { public_key };
    return { public_key, previous: { public_key: previous.public_key, signature } };
  };

  return {
    ...createCallNonces(secrets.keyFor('call_nonces')),

    async sign(text) {
      const keys = await getKeys();
      return keys.map((key) => key.sign(text));
    },

    async getAnnouncedKey() {
      return toAnnouncedKey(await getKeys());
    },

    async rotate(origin) {
      await getKeys();
      const rows = await db.transaction().execute(async (trx) => {
        await lockSigningKeys(trx);
        const [current, older] = await listSigningKeys(trx);
        if (!current) throw new Error('No signing key exists.');
        // A site can follow only one rotation at a time.
        if (older) {
          throw new AppError('invalid_request', {
            message: 'The previous signing key is still in use. Retire it first.',
          });
        }
        const id = await addKey(trx, toUsableKey(current));
        await recordChange(trx, origin, 'rotate', id);
        return listSigningKeys(trx);
      });
      cached = null;
      return toAnnouncedKey(rows.map(toUsableKey));
    },

    async countSitesWithPreviousKey() {
      const [newest, previous] = await listSigningKeys(db);
      if (!newest || !previous) return 0;
      // Other processes announce the new key only after their cache has expired.
      const announcedAt = new Date(newest.created_at.getTime() + CACHE_MS);
      return countSitesWithoutKeySince(db, announcedAt, clock.now());
    },

    async retire(origin) {
      const retired = await db.transaction().execute(async (trx) => {
        await lockSigningKeys(trx);
        const [, ...older] = await listSigningKeys(trx);
        if (older.length === 0) return 0;
        const ids = older.map(({ id }) => id);
        await retireSigningKeys(trx, ids, clock.now());
        for (const id of ids) await recordChange(trx, origin, 'retire', id);
        return ids.length;
      });
      cached = null;
      return { retired };
    },
  };

  function recordChange(trx: Trx, origin: AuditOrigin, action: 'rotate' | 'retire', id: number) {
    const entity = { entityType: 'signing_key' as const, entityId: id, context: {} };
    return audit.record(trx, origin, { action, ...entity });
  }
}
