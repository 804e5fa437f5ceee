import Type from 'typebox';
import { requiredText, trueOnly } from './common.ts';

/**
 * Log-in from the panel to a site: `remote/login-users` and `remote/login` need the capability `login`, which a site names
 * only after an administrator of the site has allowed log-ins and chosen the users.
 */

/** How long a token is valid. The browser of the user posts it to the site at once. */
export const LOGIN_TOKEN_SECONDS = 30;
export const LOGIN_USERS_MAX = 50;

/** A user of the site, as the site describes it. */
export const LoginUser = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  login: requiredText(200),
  name: Type.String({ maxLength: 200 }),
  role: Type.String({ maxLength: 200 }),
});
export type LoginUser = Type.Static<typeof LoginUser>;

export const ListLoginUsersResponse = Type.Object({
  success: trueOnly(),
  users: Type.Array(LoginUser, { maxItems: LOGIN_USERS_MAX }),
});
export type ListLoginUsersResponse = Type.Static<typeof ListLoginUsersResponse>;

/** The response of `GET /panel/sites/:id/login-users`. */
export const LoginUsersResponse = Type.Object({
  success: trueOnly(),
  users: Type.Array(LoginUser),
});
export type LoginUsersResponse = Type.Static<typeof LoginUsersResponse>;

/** The body of `POST /panel/sites/:id/login`: all fields of a form are texts. */
export const OpenSiteForm = Type.Object({
  user: Type.String({
    pattern: '^[1-9][0-9]{0,14}$',
    description: 'The id of a user in `GET /panel/sites/:id/login-users`.',
  }),
  csrf_token: Type.Optional(
    Type.String({ maxLength: 200, description: 'Required in a form, which has no headers.' }),
  ),
});
export type OpenSiteForm = Type.Static<typeof OpenSiteForm>;

export const CreateLoginRequest = Type.Object({
  user: Type.Integer({ minimum: 1, description: 'The id of a user in `remote/login-users`.' }),
  actor: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The name of the user of the panel. The site shows it to its administrator.',
  }),
});
export type CreateLoginRequest = Type.Static<typeof CreateLoginRequest>;

export const CreateLoginResponse = Type.Object({
  success: trueOnly(),
  login: requiredText(200),
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'The address to which the browser posts the form field `token`.',
  }),
  token: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: `Opens one session for this user on this site, once, within ${LOGIN_TOKEN_SECONDS} seconds.`,
  }),
});
export type CreateLoginResponse = Type.Static<typeof CreateLoginResponse>;
