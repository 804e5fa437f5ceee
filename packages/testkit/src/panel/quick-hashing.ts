import { createHash, randomBytes } from 'node:crypto';
import type { PasswordHashing } from '@steward/panel/features/accounts/passwords.ts';

/**
 * A tenth of a second for each password would be most of the time of many tests. Panels that run as
 * processes, and the tests of signing in, hash as the product does.
 */
export const QUICK_HASHING: PasswordHashing = {
  async hash(password) {
    const salt = randomBytes(8).toString('hex');
    return `${salt}:${digest(salt, password)}`;
  },
  async verify({ hash, password }) {
    const [salt = '', stored] = hash.split(':');
    return digest(salt, password) === stored;
  },
};

const digest = (salt: string, password: string) =>
  createHash('sha256').update(salt).update(password).digest('hex');
