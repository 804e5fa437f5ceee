import Type from 'typebox';
import { GRANTS_MAX, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH, TAG_MAX_LENGTH } from '../limits.ts';
import { ROLES } from '../roles.ts';
import { ID_PATTERN, nullable, requiredText, stringEnum, timestamp, trueOnly } from './common.ts';

/** Requests of the screens to the panel: sign-in, setup, users and their access. */

/** Plain addresses only. Lower case, because the panel stores and compares addresses in lower case. */
export const EMAIL_PATTERN =
  "^(?=.{3,254}$)[a-z0-9_'+-]+(?:\\.[a-z0-9_'+-]+)*(?<!')@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$";

const newPassword = () =>
  Type.String({ minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH });
/** No minimum length: a short password gets the error for a wrong password, not for an invalid request. */
const typedPassword = () => requiredText(1024);
const email = () => requiredText(254);
const name = () => requiredText(100);
const linkToken = () => requiredText(200);
/** A positive integer in a path. */
const idInPath = () => Type.String({ pattern: ID_PATTERN });

export const PanelUser = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  role: stringEnum(ROLES),
});
export type PanelUser = Type.Static<typeof PanelUser>;

export const SignInRequest = Type.Object({ email: email(), password: typedPassword() });
export type SignInRequest = Type.Static<typeof SignInRequest>;

/** The signed-in user, and the token that every changing request must send in X-CSRF-TOKEN. */
export const SessionResponse = Type.Object({
  success: trueOnly(),
  user: PanelUser,
  csrf_token: Type.String(),
});

export const ChangePasswordRequest = Type.Object({
  current_password: typedPassword(),
  new_password: newPassword(),
  end_other_sessions: Type.Optional(Type.Boolean()),
});
export type ChangePasswordRequest = Type.Static<typeof ChangePasswordRequest>;

export const SessionSummary = Type.Object({
  id: Type.Integer(),
  current: Type.Boolean({ description: 'True for the session of this request.' }),
  ip: nullable.string(),
  user_agent: nullable.string(),
  created_at: timestamp(),
  expires_at: timestamp(),
});
export type SessionSummary = Type.Static<typeof SessionSummary>;

export const SessionsResponse = Type.Object({
  success: trueOnly(),
  sessions: Type.Array(SessionSummary),
});

export const SetupStateResponse = Type.Object({ success: trueOnly(), setup_needed: trueOnly() });

export const SetupRequest = Type.Object({
  token: linkToken(),
  name: name(),
  email: email(),
  password: newPassword(),
});
export type SetupRequest = Type.Static<typeof SetupRequest>;

export const SetPasswordRequest = Type.Object({ token: linkToken(), new_password: newPassword() });
export type SetPasswordRequest = Type.Static<typeof SetPasswordRequest>;

export const RequestPasswordResetRequest = Type.Object({ email: email() });
export type RequestPasswordResetRequest = Type.Static<typeof RequestPasswordResetRequest>;

export const SignInOptionsResponse = Type.Object({
  success: trueOnly(),
  password_reset: Type.Boolean({
    description: 'Whether the panel can send a link to choose a new password.',
  }),
});

export const SetPasswordResponse = Type.Object(
  { ...Type.Partial(SessionResponse).properties, success: trueOnly() },
  {
    description:
      'The link of a user without a password is an invitation. It signs the user in: `user` and `csrf_token` as after a sign-in. They are absent after other links, and if the sign-in is refused.',
  },
);

export const UserSummary = Type.Object({
  ...PanelUser.properties,
  invited: Type.Boolean({
    description: 'True: the user has not chosen a password yet, and has never signed in.',
  }),
  disabled: Type.Boolean(),
  second_factor: Type.Boolean({ description: 'An authenticator app or a passkey is set up.' }),
  created_at: timestamp(),
  last_sign_in_at: nullable.timestamp(),
});
export type UserSummary = Type.Static<typeof UserSummary>;

export const UsersResponse = Type.Object({
  success: trueOnly(),
  users: Type.Array(UserSummary),
});

export const UserResponse = Type.Object({ success: trueOnly(), user: UserSummary });

export const CreateUserRequest = Type.Object({
  email: email(),
  role: stringEnum(ROLES),
  name: Type.Optional(name()),
});
export type CreateUserRequest = Type.Static<typeof CreateUserRequest>;

export const UpdateUserRequest = Type.Object({
  name: Type.Optional(name()),
  role: Type.Optional(stringEnum(ROLES)),
  disabled: Type.Optional(Type.Boolean()),
});
export type UpdateUserRequest = Type.Static<typeof UpdateUserRequest>;

/** Changes the account of the signed-in user. */
export const UpdateAccountRequest = Type.Object({
  name: Type.Optional(name()),
  email: Type.Optional(email()),
});
export type UpdateAccountRequest = Type.Static<typeof UpdateAccountRequest>;

export const AccountResponse = Type.Object({ success: trueOnly(), user: PanelUser });

/** A link to set a password. It works once. */
export const PasswordLink = Type.Object({ url: Type.String(), expires_at: timestamp() });
export type PasswordLink = Type.Static<typeof PasswordLink>;

export const UserWithLinkResponse = Type.Object({
  success: trueOnly(),
  user: UserSummary,
  password_link: PasswordLink,
});

export const PasswordLinkResponse = Type.Object({
  success: trueOnly(),
  password_link: PasswordLink,
});

export const IdParams = Type.Object({ id: idInPath() });
export const SiteGrantParams = Type.Object({ id: idInPath(), site_id: idInPath() });
export const RunTaskParams = Type.Object({ id: idInPath(), task_id: idInPath() });
export const LicenseGrantParams = Type.Object({ id: idInPath(), license_id: idInPath() });

/** The grants of a user: single sites, and licenses, tags and clients with all their current and future sites. */
export const GrantedAccess = Type.Object({
  sites: Type.Array(
    Type.Object({
      site_id: Type.Integer(),
      site_url: Type.String(),
      site_name: Type.String(),
      granted_at: timestamp(),
    }),
  ),
  licenses: Type.Array(
    Type.Object({
      license_id: Type.Integer(),
      key_last_six: Type.String(),
      name: nullable.string(),
      granted_at: timestamp(),
    }),
  ),
  tags: Type.Array(
    Type.Object({
      tag: Type.String(),
      sites: Type.Integer({ description: 'The sites that have the tag now.' }),
      granted_at: timestamp(),
    }),
  ),
  clients: Type.Array(
    Type.Object({
      client_id: Type.Integer(),
      name: Type.String(),
      sites: Type.Integer({ description: 'The sites that belong to the client now.' }),
      granted_at: timestamp(),
    }),
  ),
});
export type GrantedAccess = Type.Static<typeof GrantedAccess>;

const grantedIds = () =>
  Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      maxItems: GRANTS_MAX,
    }),
  );

export const ChangeAccessRequest = Type.Object({
  site_ids: grantedIds(),
  license_ids: grantedIds(),
  tags: Type.Optional(Type.Array(requiredText(TAG_MAX_LENGTH), { maxItems: GRANTS_MAX })),
  client_ids: grantedIds(),
});
export type ChangeAccessRequest = Type.Static<typeof ChangeAccessRequest>;

export const AccessResponse = Type.Object({ success: trueOnly(), access: GrantedAccess });

export const DoneResponse = Type.Object({ success: trueOnly() });
