import { textToSignKey } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import { createSigner, generateKeyPair } from '../../platform/ed25519.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { type CallNonces, createCallNonces } from '../../site-client/call-nonces.ts';
import type { AuditService } from '../audit/index.ts';
import {
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  retireSigningKeys,
  type SigningKeyRow,
} from './signing-keys.repository.ts';

/** What a site is told about the key that calls are signed with. */
export type AnnouncedKey = {
  public_key: string;
  /** For sites that know the key before it. */
  previous?: { public_key: string; signature: string };
};

/** The keys that the panel signs its calls to sites with. */
export type SigningKeyService = CallNonces & {
  /** Signs with all keys that are not retired: a site may not have heard of the newest yet. */
  sign(text: string): Promise<string[]>;
  announcedKey(): Promise<AnnouncedKey>;
  /** Makes a new key. Sites follow when they check in; until it is retired, the old one signs too. */
  rotate(origin: Origin): Promise<AnnouncedKey>;
  /** Ends the keys before the newest. Sites that have not checked in since have to be connected again. */
  retire(origin: Origin): Promise<{ retired: number }>;
};

type Dependencies = { db: Database; secrets: Secrets; clock: Clock; audit: AuditService };

/** Other processes go on with what they know for so long, and sign with the old key meanwhile. */
const CACHE_MS = 10_000;

type UsableKey = SigningKeyRow & { sign(text: string): Promise<string> };
/** The newest first. */
type Keys = [UsableKey, ...UsableKey[]];

export function createSigningKeyService(deps: Dependencies): SigningKeyService {
  const { db, secrets, clock, audit } = deps;
  // A promise, so that what is read while the keys change is not kept afterwards.
  let cached: { keys: Promise<Keys>; until: number } | null = null;
  let lastKnown: Keys | null = null;

  async function usableKeys(): Promise<Keys> {
    if (!cached || performance.now() > cached.until) {
      cached = { keys: readKeys(), until: performance.now() + CACHE_MS };
    }
    try {
      const keys = await cached.keys;
      lastKnown = keys;
      return keys;
    } catch (error) {
      cached = null;
      // While the database is away, the keys that were known a moment ago still sign.
      if (!lastKnown) throw error;
      return lastKnown;
    }
  }

  async function readKeys(): Promise<Keys> {
    let rows = await listSigningKeys(db);
    if (rows.length === 0) {
      rows = await db.transaction().execute(async (trx) => {
        await lockSigningKeys(trx);
        if ((await listSigningKeys(trx)).length === 0) await addKey(trx, null);
        return listSigningKeys(trx);
      });
    }
    const [first, ...others] = rows.map(usable);
    if (!first) throw new Error('There is no signing key.');
    return [first, ...others];
  }

  function usable(row: SigningKeyRow): UsableKey {
    const privateKey = secrets.decrypt(row.private_key_encrypted, 'signing_key');
    return { ...row, sign: createSigner({ publicKey: row.public_key, privateKey }) };
  }

  async function addKey(trx: Trx, previous: UsableKey | null): Promise<number> {
    const { publicKey, privateKey } = generateKeyPair();
    return insertSigningKey(trx, {
      public_key: publicKey,
      private_key_encrypted: secrets.encrypt(privateKey, 'signing_key'),
      signed_by_previous: (await previous?.sign(textToSignKey(publicKey))) ?? null,
      created_at: clock.now(),
    });
  }

  const announced = ([newest, previous]: UsableKey[]): AnnouncedKey => {
    if (!newest) throw new Error('There is no signing key.');
    const { public_key, signed_by_previous: signature } = newest;
    if (!previous || signature === null) return { public_key };
    return { public_key, previous: { public_key: previous.public_key, signature } };
  };

  return {
    ...createCallNonces(secrets.keyFor('call_nonces')),

    async sign(text) {
      const keys = await usableKeys();
      return Promise.all(keys.map((key) => key.sign(text)));
    },

    async announcedKey() {
      return announced(await usableKeys());
    },

    async rotate(origin) {
      await usableKeys();
      const rows = await db.transaction().execute(async (trx) => {
        await lockSigningKeys(trx);
        const [current, older] = await listSigningKeys(trx);
        if (!current) throw new Error('There is no signing key.');
        // A site follows one step at a time.
        if (older) {
          throw new AppError('invalid_request', {
            message: 'The signing key before the current one is still in use. Retire it first.',
          });
        }
        const id = await addKey(trx, usable(current));
        await record(trx, origin, 'rotate', id);
        return listSigningKeys(trx);
      });
      cached = null;
      return announced(rows.map(usable));
    },

    async retire(origin) {
      const retired = await db.transaction().execute(async (trx) => {
        await lockSigningKeys(trx);
        const [, ...older] = await listSigningKeys(trx);
        if (older.length === 0) return 0;
        const ids = older.map(({ id }) => id);
        await retireSigningKeys(trx, ids, clock.now());
        for (const id of ids) await record(trx, origin, 'retire', id);
        return ids.length;
      });
      cached = null;
      return { retired };
    },
  };

  function record(trx: Trx, origin: Origin, action: 'rotate' | 'retire', id: number) {
    const entity = { entityType: 'signing_key' as const, entityId: id, context: {} };
    return audit.record(trx, origin, { action, ...entity });
  }
}
