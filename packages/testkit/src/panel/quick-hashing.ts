import { createHash, randomBytes } from 'node:crypto';
import type { PasswordHashing } from '@steward/panel/features';

/**
 * A fast fake for password hashing. Real hashing takes 0.1 s per password: in many tests, most of the run time. Panel
 * processes and the tests of hashing itself use real hashing.
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
