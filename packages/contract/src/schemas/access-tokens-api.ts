import Type from 'typebox';
import { TOKEN_ACTIONS } from '../access-tokens.ts';
import { ACCESS_TOKEN_DAYS_MAX, ACCESS_TOKEN_NAME_MAX_LENGTH } from '../limits.ts';
import { ROLES } from '../roles.ts';
import { ID_PATTERN, nullable, requiredText, stringEnum, timestamp, trueOnly } from './common.ts';
import { ChangeAccessRequest, GrantedAccess, PanelUser } from './panel-api.ts';

/** Access tokens, for scripts and other programs. */

export const CreateAccessTokenRequest = Type.Object({
  name: requiredText(ACCESS_TOKEN_NAME_MAX_LENGTH),
  role: stringEnum(ROLES),
  actions: Type.Array(stringEnum(TOKEN_ACTIONS), {
    minItems: 1,
    maxItems: TOKEN_ACTIONS.length,
    uniqueItems: true,
  }),
  access: Type.Optional(ChangeAccessRequest),
  expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: ACCESS_TOKEN_DAYS_MAX })),
});
export type CreateAccessTokenRequest = Type.Static<typeof CreateAccessTokenRequest>;

export const AccessTokenSummary = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  last_four: Type.String({ description: 'The last four characters of the token.' }),
  role: stringEnum(ROLES),
  actions: Type.Array(stringEnum(TOKEN_ACTIONS)),
  access: Type.Unsafe<GrantedAccess | null>({
    ...GrantedAccess,
    type: ['object', 'null'],
    description: 'The sites that the token is limited to. Null: all sites of its user.',
  }),
  created_at: timestamp(),
  expires_at: timestamp(),
  is_expired: Type.Boolean(),
  last_used_at: nullable.timestamp(),
  last_used_ip: nullable.string(),
});
export type AccessTokenSummary = Type.Static<typeof AccessTokenSummary>;

export const AccessTokensResponse = Type.Object({
  success: trueOnly(),
  tokens: Type.Array(AccessTokenSummary),
});

/** The panel returns the token itself only here: it stores only the hash. */
export const CreatedAccessTokenResponse = Type.Object({
  success: trueOnly(),
  token: AccessTokenSummary,
  secret: Type.String(),
});
export type CreatedAccessTokenResponse = Type.Static<typeof CreatedAccessTokenResponse>;

/** The token of the request, and the user for whom it acts. */
export const CurrentAccessTokenResponse = Type.Object({
  success: trueOnly(),
  user: PanelUser,
  token: AccessTokenSummary,
});

export const UserTokenParams = Type.Object({
  id: Type.String({ pattern: ID_PATTERN }),
  token_id: Type.String({ pattern: ID_PATTERN }),
});
