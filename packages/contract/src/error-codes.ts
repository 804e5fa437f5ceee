/**
 * Every error a person or a client can meet: its HTTP status and a sentence that says what to do.
 * The sentence never holds a key, an SQL fragment or a stack; details go to the log.
 */

type ErrorCodeEntry = { status: number; message: string };

const defineCodes = <Code extends string>(codes: Record<Code, ErrorCodeEntry>) => codes;

export const ERROR_CODES = defineCodes({
  // Any endpoint.
  invalid_request: {
    status: 400,
    message: 'The request is not valid. Check its fields and send it again.',
  },
  request_too_large: { status: 413, message: 'The request is too large. Send a smaller body.' },
  not_found: {
    status: 404,
    message: 'There is nothing at this address. Check the path and the method.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait as long as Retry-After says, then try again.',
  },
  unavailable: {
    status: 503,
    message: 'The panel cannot answer at the moment. Try again shortly.',
  },
  internal_error: {
    status: 500,
    message:
      'Something went wrong on our side. Try again later; the request id helps us to find it.',
  },

  // Group C, the license service.
  missing_license_key: {
    status: 400,
    message: 'The license key is missing. Send it as license_key.',
  },
  missing_site_url: {
    status: 400,
    message: 'The address of the site is missing. Send it as site_url.',
  },
  invalid_site_url: {
    status: 400,
    message: 'The address of the site is not a valid http or https URL.',
  },
  invalid_license_key: {
    status: 401,
    message: 'This license key is not known here. Check it for typing errors.',
  },
  invalid_activation_token: {
    status: 401,
    message:
      'The activation token does not belong to this site. Activate the license on the site again.',
  },
  license_expired: { status: 403, message: 'This license has expired. Renew it to go on.' },
  license_suspended: { status: 403, message: 'This license is suspended. Ask whoever issued it.' },
  license_revoked: {
    status: 403,
    message: 'This license has been revoked for good. You need a new one.',
  },
  site_limit_reached: {
    status: 403,
    message:
      'This license is in use on as many sites as it allows. Deactivate it on another site or raise the limit.',
  },
  seat_moves_exhausted: {
    status: 403,
    message: 'This license has been moved to other sites too often within a day. Try again later.',
  },
  site_has_own_key: {
    status: 403,
    message:
      'This site is connected with a key of its own. Connect it from the plugin on the site, or release it on the panel first.',
  },
  address_not_proven: {
    status: 403,
    message:
      'The panel has not reached this site at its address yet. If it cannot, release the site on the panel and connect it again.',
  },
  site_not_activated: {
    status: 404,
    message: 'This license is not active on this site. Activate it there first.',
  },

  // Group A, the site side.
  invalid_service_key: { status: 401, message: 'The service key is missing or wrong.' },
  invalid_signature: {
    status: 401,
    message:
      'The signature of the call is missing, wrong, too old or was used before. Check the clocks of panel and site.',
  },
  remote_disabled: { status: 403, message: 'Remote management is switched off on this site.' },
  missing_parameter: { status: 400, message: 'A required parameter is missing.' },
  invalid_action: {
    status: 400,
    message: 'The action must be one of update, activate, deactivate and delete.',
  },
  invalid_plugin: {
    status: 400,
    message: 'The plugin must be written as directory/file.php or file.php.',
  },
  management_plugin: {
    status: 403,
    message: 'The management plugin itself cannot be changed remotely.',
  },
  plugin_not_found: { status: 404, message: 'This plugin is not installed on the site.' },
  site_busy: {
    status: 409,
    message: 'Another update or action is running on this site. Try again when it has ended.',
  },
  file_changes_disabled: {
    status: 403,
    message: 'This site does not allow its files to be changed.',
  },
  action_failed: { status: 500, message: 'The site tried the action and it failed.' },
  request_blocked: {
    status: 403,
    message: 'Something on the site ends calls of the panel before the plugin can answer.',
  },
  outside_look_needed: {
    status: 409,
    message: 'This site cannot open its own pages. Look at it from outside, then call again.',
  },

  // Group B, the panel.
  unauthenticated: { status: 401, message: 'You are not signed in. Sign in and try again.' },
  csrf_token_invalid: {
    status: 403,
    message: 'The security token is missing or no longer valid. Reload the page and try again.',
  },
  forbidden: {
    status: 403,
    message: 'You do not have the right to do this. Ask an owner of the panel.',
  },
  invalid_credentials: {
    status: 401,
    message: 'The e-mail address or the password is not right. Try again.',
  },
  confirmation_required: {
    status: 403,
    message:
      'This needs a confirmation that it is still you. Confirm with your password or second factor, then try again.',
  },
  two_factor_required: {
    status: 401,
    message: 'The password is right. Enter the code of your authenticator app, or a backup code.',
  },
  wrong_code: {
    status: 403,
    message:
      'This code is not right, or was used before. Wait for the next code of your app and enter that.',
  },
  sign_in_expired: {
    status: 401,
    message: 'This sign-in has expired. Enter your e-mail address and password again.',
  },
  second_factor_exists: {
    status: 409,
    message: 'An authenticator app is set up already. Remove it first to set up another one.',
  },
  no_second_factor: {
    status: 409,
    message: 'Your account has no such second factor. Set one up on the account page.',
  },
  passkey_rejected: {
    status: 403,
    message: 'This passkey was not accepted. Try again, or use your password.',
  },
  passkeys_unavailable: {
    status: 409,
    message:
      'Passkeys work only where the panel has a name and https. Start it with BASE_URL set to that address.',
  },
  second_factor_required: {
    status: 403,
    message: 'This panel requires a second factor. Set one up on the account page, then go on.',
  },
  last_second_factor: {
    status: 409,
    message: 'This panel requires a second factor. Add another one before you remove your last.',
  },
  wrong_password: { status: 403, message: 'The current password is not right.' },
  account_disabled: {
    status: 403,
    message: 'This account has been disabled. Ask an owner of the panel.',
  },
  cross_site_request: {
    status: 403,
    message: 'This call came from a page of another site. Open the panel itself and try again.',
  },
  setup_complete: { status: 409, message: 'The panel is set up already. Sign in instead.' },
  invalid_link: {
    status: 403,
    message: 'This link has been used, has expired or was replaced. Ask for a new one.',
  },
  second_factor_needed: {
    status: 403,
    message: 'Your account has a second factor. Confirm with a code or a passkey.',
  },
  own_password_link: {
    status: 403,
    message:
      'You cannot make a password link for yourself. Change your password on the account page.',
  },
  weak_password: {
    status: 400,
    message: 'This password is too easy to guess. Use a few words in a row.',
  },
  email_taken: { status: 409, message: 'There already is a user with this e-mail address.' },
  last_owner: {
    status: 409,
    message: 'This is the last owner. Make somebody else an owner first.',
  },
  base_url_missing: {
    status: 409,
    message:
      'The panel does not know the address at which sites reach it. Start it with BASE_URL set to that address, then try again.',
  },
  run_not_found: { status: 404, message: 'There is no such run.' },
  action_cancelled: {
    status: 409,
    message:
      'The action was cancelled before the site was called. Nothing was done; start it again if it is still wanted.',
  },
  run_not_finished: {
    status: 409,
    message: 'This run is still going on. Wait until it has finished, or cancel it.',
  },
  nothing_to_retry: {
    status: 409,
    message: 'In this run nothing is left to do: no site failed.',
  },
  run_already_retried: {
    status: 409,
    message: 'An owner of the panel has already tried this run again.',
  },
  old_key_accepted: {
    status: 409,
    message: 'The key before this one is still accepted. Wait until it has ended, or end it first.',
  },
  site_not_found: { status: 404, message: 'There is no such site.' },
  too_many_tags: { status: 400, message: 'A site can have at most 20 tags. Remove some first.' },
  site_not_active: {
    status: 409,
    message: 'This site is not active: its license is no longer valid or it was deactivated.',
  },
  site_rejected_key: {
    status: 502,
    message: 'The site did not accept its license key. Connect the site again.',
  },
  site_rejected_signature: {
    status: 502,
    message:
      'The site did not accept the signature of the panel. Check the clocks of both; if they are right, connect the site again.',
  },
  site_unreachable: { status: 502, message: 'The site could not be reached.' },
  site_tls_error: {
    status: 502,
    message: 'No secure connection to the site could be made. Check its certificate.',
  },
  site_redirected: {
    status: 502,
    message: 'The site redirects elsewhere. Connect it again under its real address.',
  },
  site_invalid_response: {
    status: 502,
    message: 'The site answered with something other than the expected JSON.',
  },
  site_response_too_large: {
    status: 502,
    message: 'The site answered with more than the panel reads. Look there for PHP warnings.',
  },
  site_down: {
    status: 502,
    message: 'The site is down: it answers with an error of its own. Look into its error log.',
  },
  site_login_required: {
    status: 502,
    message: 'The web server of the site asks for a password before the plugin can answer.',
  },
  site_timeout: { status: 504, message: 'The site did not answer in time.' },
});

export type ErrorCode = keyof typeof ERROR_CODES;
