import Type from 'typebox';
import {
  ErrorBody,
  nullable,
  requiredText,
  stringEnum,
  timestamp,
  trueOnly,
} from './vocabulary.ts';

/** Second factors: what a user has besides the password, and where it is asked for. */

/** Of an app or from paper, as it was typed. */
const code = () => requiredText(50);

export const SIGN_IN_METHODS = ['totp', 'backup_code', 'passkey'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** The password was right, and the account has a second factor. */
export const TwoFactorRequiredBody = Type.Object({
  ...ErrorBody.properties,
  methods: Type.Optional(Type.Array(stringEnum(SIGN_IN_METHODS))),
});

export const SecondFactorRequest = Type.Object({ code: code() });
export type SecondFactorRequest = Type.Static<typeof SecondFactorRequest>;

/** What `navigator.credentials.get()` gives, as JSON (WebAuthn, AuthenticationResponseJSON). */
export const PasskeyAnswer = Type.Object({
  id: requiredText(1400),
  rawId: requiredText(1400),
  type: Type.String(),
  clientExtensionResults: Type.Object({}),
  response: Type.Object({
    clientDataJSON: requiredText(4096),
    authenticatorData: requiredText(4096),
    signature: requiredText(4096),
    userHandle: Type.Optional(Type.String()),
  }),
});
export type PasskeyAnswer = Type.Static<typeof PasskeyAnswer>;

export const PasskeySignInRequest = Type.Object({ passkey: PasskeyAnswer });

/** What `navigator.credentials.create()` or `get()` is called with, as JSON. */
export const PasskeyOptionsResponse = Type.Object({
  success: trueOnly(),
  options: Type.Object({}, { additionalProperties: true }),
});

const passkeyName = () => requiredText(100);

/** `response`: what `navigator.credentials.create()` gives, as JSON. */
export const RegisterPasskeyRequest = Type.Object({
  name: passkeyName(),
  response: Type.Object({
    id: requiredText(1400),
    rawId: requiredText(1400),
    type: Type.String(),
    clientExtensionResults: Type.Object({}),
    response: Type.Object({
      clientDataJSON: requiredText(4096),
      attestationObject: requiredText(16_384),
      transports: Type.Optional(Type.Array(requiredText(20), { maxItems: 10 })),
    }),
  }),
});
export type RegisterPasskeyRequest = Type.Static<typeof RegisterPasskeyRequest>;

export const RenamePasskeyRequest = Type.Object({ name: passkeyName() });

export const PasskeySummary = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  created_at: timestamp(),
  last_used_at: nullable.timestamp(),
});
export type PasskeySummary = Type.Static<typeof PasskeySummary>;

export const PasskeyResponse = Type.Object({ success: trueOnly(), passkey: PasskeySummary });

/** Proves once more who is at a session, for what `confirmation_required` guards: one of these. */
export const ConfirmRequest = Type.Object({
  password: Type.Optional(requiredText(1024)),
  code: Type.Optional(code()),
  passkey: Type.Optional(PasskeyAnswer),
});
export type ConfirmRequest = Type.Static<typeof ConfirmRequest>;

export const SecondFactors = Type.Object({
  totp: Type.Boolean({ description: 'An authenticator app is set up.' }),
  backup_codes: Type.Integer({ description: 'How many are left.' }),
  passkeys: Type.Array(PasskeySummary),
  required: Type.Boolean({ description: 'Owners require one of everyone.' }),
});
export type SecondFactors = Type.Static<typeof SecondFactors>;

export const SecondFactorsResponse = Type.Object({
  success: trueOnly(),
  second_factors: SecondFactors,
});

export const PanelSettings = Type.Object({ require_second_factor: Type.Boolean() });
export type PanelSettings = Type.Static<typeof PanelSettings>;

export const PanelSettingsResponse = Type.Object({ success: trueOnly(), settings: PanelSettings });

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
