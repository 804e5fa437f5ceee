import { AppError } from '../../platform/app-error.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { countSecondFactors } from './second-factor.repository.ts';
import { isSecondFactorRequired } from './settings.repository.ts';

export async function hasSecondFactor(db: Database, userId: number): Promise<boolean> {
  const { totp, passkeys } = await countSecondFactors(db, userId);
  return totp || passkeys > 0;
}

/** Call this after removing a second factor. Throws if the user has none left and the panel requires one. */
export async function assertSecondFactorLeft(trx: Trx, userId: number): Promise<void> {
  if (await hasSecondFactor(trx, userId)) return;
  if (await isSecondFactorRequired(trx)) throw new AppError('last_second_factor');
}
