import { AppError } from '../../platform/app-error.ts';
import type { Trx } from '../../platform/database/handles.ts';
import type { ActivationRecord } from './activations.repository.ts';
import { supportsSiteKey } from './create-credentials.ts';
import type { EnrolmentCodeRecord } from './enrolment-codes.repository.ts';
import { hasEnrolment } from './enrolments.repository.ts';

type CodeUse = {
  /** The activation of the license on the site that sent the code. */
  activation: ActivationRecord | undefined;
  capabilities: string[] | undefined;
  now: Date;
};

/** Throws unless the site may connect with this code. The caller must have locked the license and the code. */
export async function assertUsableCode(
  trx: Trx,
  code: EnrolmentCodeRecord,
  { activation, capabilities, now }: CodeUse,
): Promise<void> {
  if (code.used_at !== null) {
    // After a lost answer the site still has no key, so it may repeat its request.
    const isRepeated =
      activation?.site_id === code.site_id &&
      activation.status === 'active' &&
      !(await hasUsedItsKey(trx, activation, code.used_at));
    if (!isRepeated) throw new AppError('enrolment_code_used');
  }
  if (code.expires_at <= now) throw new AppError('enrolment_code_expired');
  // Without a site key the site would store the code as its key.
  if (!supportsSiteKey(capabilities)) throw new AppError('site_key_required');
}

/** Whether the site has used the key that it got for the code. */
async function hasUsedItsKey(
  trx: Trx,
  { site_id, proven_at, last_check_at }: ActivationRecord,
  codeUsedAt: Date,
): Promise<boolean> {
  const isKeyUsed = [proven_at, last_check_at].some((at) => at !== null && at >= codeUsedAt);
  // While an enrolment is pending, the activation still has the key of an earlier installation.
  return isKeyUsed && !(await hasEnrolment(trx, site_id));
}
