import Type from 'typebox';
import { ErrorBody, requiredText, stringEnum, trueOnly } from './vocabulary.ts';

/** Second factors: what a user has besides the password, and where it is asked for. */

/** Of an app or from paper, as it was typed. */
const code = () => requiredText(50);

export const SIGN_IN_METHODS = ['totp', 'backup_code'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** The password was right, and the account has a second factor. */
export const TwoFactorRequiredBody = Type.Object({
  ...ErrorBody.properties,
  methods: Type.Optional(Type.Array(stringEnum(SIGN_IN_METHODS))),
});

export const SecondFactorRequest = Type.Object({ code: code() });
export type SecondFactorRequest = Type.Static<typeof SecondFactorRequest>;

/** Proves once more who is at a session, for what `confirmation_required` guards: one of these. */
export const ConfirmRequest = Type.Object({
  password: Type.Optional(requiredText(1024)),
  code: Type.Optional(code()),
});
export type ConfirmRequest = Type.Static<typeof ConfirmRequest>;

export const SecondFactors = Type.Object({
  totp: Type.Boolean({ description: 'An authenticator app is set up.' }),
  backup_codes: Type.Integer({ description: 'How many are left.' }),
});
export type SecondFactors = Type.Static<typeof SecondFactors>;

export const SecondFactorsResponse = Type.Object({
  success: trueOnly(),
  second_factors: SecondFactors,
});

export const TotpSetup = Type.Object({
  uri: Type.String({ description: 'For a QR code.' }),
  secret: Type.String({ description: 'The same for typing.' }),
});
export type TotpSetup = Type.Static<typeof TotpSetup>;

export const TotpSetupResponse = Type.Object({ success: trueOnly(), totp: TotpSetup });

/** Shown this once. */
export const BackupCodesResponse = Type.Object({
  success: trueOnly(),
  backup_codes: Type.Array(Type.String()),
});
