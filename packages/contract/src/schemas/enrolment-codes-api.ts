import Type from 'typebox';
import { ENROLMENT_CODES_MAX } from '../limits.ts';
import { stringEnum, timestamp, trueOnly } from './common.ts';

/** Codes that connect one site each, without the license key. */

export const CreateEnrolmentCodesRequest = Type.Object({
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: ENROLMENT_CODES_MAX })),
});

export const NewEnrolmentCode = Type.Object({
  plugin_url: Type.String({
    description:
      'The address of a plugin zip that contains this code. It needs no sign-in and works until the code is used or expires.',
  }),
  id: Type.Integer(),
  code: Type.String({ description: 'Returned once: the panel stores only a hash.' }),
  expires_at: timestamp(),
});
export type NewEnrolmentCode = Type.Static<typeof NewEnrolmentCode>;

export const NewEnrolmentCodesResponse = Type.Object({
  success: trueOnly(),
  enrolment_codes: Type.Array(NewEnrolmentCode),
});

const UsedBySite = Type.Object({ id: Type.Integer(), url: Type.String() });

export const EnrolmentCode = Type.Object({
  id: Type.Integer(),
  code_last_six: Type.String(),
  status: stringEnum(['open', 'used', 'expired']),
  created_at: timestamp(),
  expires_at: timestamp(),
  used_at: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  site: Type.Unsafe<Type.Static<typeof UsedBySite> | null>({
    ...UsedBySite,
    type: ['object', 'null'],
    description: 'The site that used the code. Null: unused.',
  }),
});
export type EnrolmentCode = Type.Static<typeof EnrolmentCode>;

/** Limits the size of the response. */
export const ENROLMENT_CODES_SHOWN_MAX = 500;

export const EnrolmentCodesResponse = Type.Object({
  success: trueOnly(),
  enrolment_codes: Type.Array(EnrolmentCode, { description: 'Newest first.' }),
});
