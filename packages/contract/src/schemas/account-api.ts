import Type from 'typebox';
import { PANEL_REACHES } from '../panel-reach.ts';
import { ErrorBody, nullable, requiredText, stringEnum, timestamp, trueOnly } from './common.ts';

/** Second factors, the confirmation of identity, and the settings of the panel. */

/** A one-time code or a backup code, as typed. */
const code = () => requiredText(50);

export const SECOND_FACTOR_METHODS = ['totp', 'backup_code', 'passkey'] as const;
export type SecondFactorMethod = (typeof SECOND_FACTOR_METHODS)[number];

/** The error after a correct password, if the account has a second factor. */
export const TwoFactorRequiredBody = Type.Object({
  ...ErrorBody.properties,
  methods: Type.Optional(Type.Array(stringEnum(SECOND_FACTOR_METHODS))),
});

export const SecondFactorRequest = Type.Object({ code: code() });
export type SecondFactorRequest = Type.Static<typeof SecondFactorRequest>;

/** The result of `navigator.credentials.get()` as JSON (WebAuthn, AuthenticationResponseJSON). */
export const PasskeyAssertion = Type.Object({
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
export type PasskeyAssertion = Type.Static<typeof PasskeyAssertion>;

export const PasskeySignInRequest = Type.Object({ passkey: PasskeyAssertion });

/** The options for `navigator.credentials.create()` or `get()`, as JSON. */
export const PasskeyOptionsResponse = Type.Object({
  success: trueOnly(),
  options: Type.Object({}, { additionalProperties: true }),
});

const passkeyName = () => requiredText(100);

/** `response`: the result of `navigator.credentials.create()` as JSON. */
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

/** Confirms the identity of the user after `confirmation_required`, with exactly one of these fields. */
export const ConfirmRequest = Type.Object({
  password: Type.Optional(requiredText(1024)),
  code: Type.Optional(code()),
  passkey: Type.Optional(PasskeyAssertion),
});
export type ConfirmRequest = Type.Static<typeof ConfirmRequest>;

export const SecondFactors = Type.Object({
  totp: Type.Boolean({ description: 'An authenticator app is set up.' }),
  backup_codes: Type.Integer({ description: 'The number of unused backup codes.' }),
  passkeys: Type.Array(PasskeySummary),
  required: Type.Boolean({ description: 'The owners require a second factor for every user.' }),
});
export type SecondFactors = Type.Static<typeof SecondFactors>;

export const SecondFactorsResponse = Type.Object({
  success: trueOnly(),
  second_factors: SecondFactors,
});

export const PanelSettings = Type.Object({ require_second_factor: Type.Boolean() });
export type PanelSettings = Type.Static<typeof PanelSettings>;

/** The address that sites use, from BASE_URL, and whether sites on the internet can reach it (`reach`). */
export const PanelAddress = Type.Object({ url: Type.String(), reach: stringEnum(PANEL_REACHES) });
export type PanelAddress = Type.Static<typeof PanelAddress>;

export const PanelSettingsResponse = Type.Object({
  success: trueOnly(),
  settings: PanelSettings,
  panel: PanelAddress,
});

export const TotpSetup = Type.Object({
  uri: Type.String({ description: 'For a QR code.' }),
  secret: Type.String({ description: 'The same secret, for manual entry.' }),
});
export type TotpSetup = Type.Static<typeof TotpSetup>;

export const TotpSetupResponse = Type.Object({ success: trueOnly(), totp: TotpSetup });

/** The panel returns the codes only here: it stores only their hashes. */
export const BackupCodesResponse = Type.Object({
  success: trueOnly(),
  backup_codes: Type.Array(Type.String()),
});
