import { SITE_FAILURES } from './failures.ts';

/**
 * Every error that a user or a client can get: its HTTP status and its message, usually with the next step.
 * A message never contains a key, an SQL fragment or a stack trace. Details go to the log.
 * The failures of calls to sites are in `failures.ts`, together with what they mean for the site.
 */

type ErrorCodeEntry = { status: number; message: string };

const defineCodes = <Code extends string>(codes: Record<Code, ErrorCodeEntry>) => codes;

const REQUEST_ERRORS = defineCodes({
  // Any endpoint.
  invalid_request: {
    status: 400,
    message: 'The request is not valid. Check its fields and send it again.',
  },
  request_too_large: { status: 413, message: 'The request is too large. Send a smaller body.' },
  not_found: {
    status: 404,
    message: 'This endpoint does not exist. Check the path and the method.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait a minute, then try again. Retry-After gives the exact time.',
  },
  unavailable: {
    status: 503,
    message: 'Steward is not available at the moment. Try again shortly.',
  },
  internal_error: {
    status: 500,
    message:
      'Something went wrong. Try again later. The request ID identifies the error in the log.',
  },

  // The license API.
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
    message: 'Unknown license key. Check it for typing errors.',
  },
  invalid_plugin_link: {
    status: 404,
    message: 'This link to the plugin is not valid. Create a new one in the panel.',
  },
  enrolment_code_used: {
    status: 401,
    message: 'This enrolment code was already used. Create a new one in the panel.',
  },
  enrolment_code_expired: {
    status: 401,
    message: 'This enrolment code has expired. Create a new one in the panel.',
  },
  site_key_required: {
    status: 403,
    message:
      'An enrolment code connects only sites that support site keys. Enable the PHP extension sodium or update the plugin, or connect with the license key.',
  },
  invalid_activation_token: {
    status: 401,
    message:
      'The activation token does not belong to this site. Activate the license on the site again.',
  },
  license_expired: { status: 403, message: 'This license has expired. Renew it to continue.' },
  license_suspended: { status: 403, message: 'This license is suspended. Contact its issuer.' },
  license_revoked: {
    status: 403,
    message: 'This license has been revoked permanently. You need a new license.',
  },
  site_limit_reached: {
    status: 403,
    message: 'This license has reached its site limit. Disconnect another site or raise the limit.',
  },
  seat_moves_exhausted: {
    status: 403,
    message: 'This license has been moved to other sites too often within a day. Try again later.',
  },
  site_has_own_key: {
    status: 403,
    message:
      'This site has a site key. Connect it with a plugin that supports site keys, or disconnect it in the panel first.',
  },
  site_not_activated: {
    status: 404,
    message: 'This license is not active on this site. Activate it on the site first.',
  },

  // The site API.
  invalid_service_key: { status: 401, message: 'The service key is missing or wrong.' },
  invalid_signature: {
    status: 401,
    message:
      'The signature of the call is missing, invalid, expired or already used. Check the clocks of the panel and the site.',
  },
  missing_parameter: { status: 400, message: 'A required parameter is missing.' },
  invalid_action: {
    status: 400,
    message: 'The action must be update, activate, deactivate or delete.',
  },
  invalid_items: {
    status: 400,
    message: 'The list of items to update is not valid. Check the type and the slug of each item.',
  },
  invalid_plugin: {
    status: 400,
    message: 'The plugin must have the form directory/file.php or file.php.',
  },
  login_off: {
    status: 403,
    message:
      'Log-in from the panel is off on this site. Turn it on in WordPress under Settings → Steward.',
  },
  login_user_not_allowed: {
    status: 403,
    message:
      'This user is not chosen for log-in from the panel, or has another role now. Choose users in WordPress under Settings → Steward.',
  },
  login_unsupported: {
    status: 409,
    message:
      'This site does not allow log-in from the panel yet. Update its Steward plugin, then turn it on in WordPress under Settings → Steward.',
  },
  login_elsewhere: {
    status: 502,
    message:
      'The site named a log-in address on another host. Check its addresses in WordPress under Settings → General.',
  },
  outside_look_needed: {
    status: 409,
    message:
      'This site cannot open its own pages. Check its pages from outside, then send the call again with outside_look: true.',
  },

  // The API for signed-in users.
  unauthenticated: { status: 401, message: 'You are not signed in. Sign in and try again.' },
  csrf_token_invalid: {
    status: 403,
    message: 'The security token is missing or no longer valid. Reload the page and try again.',
  },
  forbidden: {
    status: 403,
    message: 'You do not have permission to do this. Ask an owner.',
  },
  /** One code for unknown, expired and revoked tokens: a client with a found token learns nothing about it. */
  token_invalid: {
    status: 401,
    message:
      'This access token is not valid. It may have expired or been revoked. Create a new one on the account page.',
  },
  token_action_missing: {
    status: 403,
    message:
      'This access token does not include this action. On the account page, create a token that includes it.',
  },
  token_not_allowed: {
    status: 403,
    message: 'Access tokens cannot do this. Sign in to the panel to do it.',
  },
  token_sites_changed: {
    status: 403,
    message:
      'The role or the sites of the user of this access token have changed, so it no longer works. Create a new token on the account page.',
  },
  too_many_tokens: {
    status: 409,
    message: 'You have reached the limit of 50 access tokens. Revoke one that you no longer need.',
  },
  too_many_views: {
    status: 409,
    message: 'You have reached the limit of 50 saved views. Delete one that you no longer need.',
  },
  invalid_credentials: {
    status: 401,
    message: 'The e-mail address or password is wrong. Try again.',
  },
  confirmation_required: {
    status: 403,
    message: 'Confirm your identity with your password or second factor, then try again.',
  },
  /** During the sign-in: a code or a passkey must follow. */
  two_factor_required: {
    status: 401,
    message:
      'The password is correct. Enter the code from your authenticator app or a backup code.',
  },
  wrong_code: {
    status: 403,
    message:
      'This code is wrong or was already used. Wait for the next code from your app and enter it.',
  },
  sign_in_expired: {
    status: 401,
    message: 'This sign-in has expired. Enter your e-mail address and password again.',
  },
  second_factor_exists: {
    status: 409,
    message: 'An authenticator app is already set up. Remove it before you set up another one.',
  },
  no_second_factor: {
    status: 409,
    message: 'This second factor is not set up for your account. Set it up on the account page.',
  },
  passkey_rejected: {
    status: 403,
    message: 'This passkey was not accepted. Try again, or use your password.',
  },
  passkeys_unavailable: {
    status: 409,
    message:
      'Passkeys require an https address with a host name. Start Steward with BASE_URL set to that address.',
  },
  /** After the sign-in: the user must set up a second factor. */
  second_factor_required: {
    status: 403,
    message: 'This panel requires a second factor. Set one up on the account page to continue.',
  },
  last_second_factor: {
    status: 409,
    message: 'This panel requires a second factor. Add another one before you remove the last one.',
  },
  wrong_password: { status: 403, message: 'The current password is wrong.' },
  account_disabled: {
    status: 403,
    message: 'This account is disabled. Ask an owner to enable it.',
  },
  cross_site_request: {
    status: 403,
    message: 'This request came from a page of another site. Open the panel and try again.',
  },
  setup_complete: { status: 409, message: 'Steward is already set up. Sign in instead.' },
  invalid_link: {
    status: 403,
    message: 'This link was already used, has expired or was replaced. Ask for a new one.',
  },
  /** At a confirmation: the password is not enough. */
  second_factor_needed: {
    status: 403,
    message: 'Your account has a second factor. Confirm with a code or a passkey.',
  },
  own_password_link: {
    status: 403,
    message:
      'You cannot create a password link for yourself. Change your password on the account page.',
  },
  weak_password: {
    status: 400,
    message: 'This password is too easy to guess. Use several words.',
  },
  email_taken: { status: 409, message: 'A user with this e-mail address already exists.' },
  last_owner: {
    status: 409,
    message: 'This is the last owner. Make another user an owner first.',
  },
  base_url_missing: {
    status: 409,
    message:
      'Steward does not know the address at which sites reach it. Start Steward with BASE_URL set to that address, then try again.',
  },
  software_not_found: {
    status: 404,
    message: 'None of your sites has this plugin, theme or core. Check the list of software.',
  },
  invalid_package: {
    status: 400,
    message:
      'This file is not a plugin or theme package. Upload the zip file of a plugin or theme.',
  },
  package_storage_full: {
    status: 409,
    message:
      'Your uploaded packages take up 2 GB, which is the limit, so this package was not stored. The panel deletes a package 30 days after its last use. Try again then, or install this package in WordPress.',
  },
  package_link_unknown: {
    status: 404,
    message: 'This link to a package is not valid. Start the installation again in the panel.',
  },
  package_link_used: {
    status: 410,
    message:
      'This link to a package works only once and was already used. Start the installation again in the panel.',
  },
  package_link_expired: {
    status: 410,
    message: 'This link to a package has expired. Start the installation again in the panel.',
  },
  run_not_found: { status: 404, message: 'There is no such run.' },
  schedule_not_found: { status: 404, message: 'There is no such schedule.' },
  rollout_not_found: { status: 404, message: 'There is no such rollout.' },
  rollout_not_halted: {
    status: 409,
    message: 'This rollout is not halted. Reload the page to see its state.',
  },
  rollout_not_waiting: {
    status: 409,
    message: 'This rollout does not wait for proof. Reload the page to see its state.',
  },
  rollout_not_soaking: {
    status: 409,
    message: 'This rollout is not in its soak time. Reload the page to see its state.',
  },
  action_cancelled: {
    status: 409,
    message:
      'The action was cancelled before the site was called. No changes were made. Start it again if you still need it.',
  },
  run_not_finished: {
    status: 409,
    message: 'This run is still in progress. Wait until it has finished, or cancel it.',
  },
  nothing_to_retry: { status: 409, message: 'This run has no failed sites to retry.' },
  run_already_retried: {
    status: 409,
    message: 'Another user has already retried this run.',
  },
  old_key_accepted: {
    status: 409,
    message:
      'The old key is still accepted. Before you replace the key again, wait until the old key expires, or expire it now.',
  },
  tag_not_found: { status: 404, message: 'No site has this tag. Check its spelling.' },
  client_not_found: {
    status: 404,
    message: 'There is no such client. Reload the page to see the clients that exist.',
  },
  client_exists: {
    status: 409,
    message: 'A client with this name already exists. It may be archived. Choose another name.',
  },
  client_archived: {
    status: 409,
    message: 'This client is archived. Restore it first.',
  },
  too_many_clients: {
    status: 409,
    message: 'There are already 1,000 clients. Rename an archived one instead of adding another.',
  },
  invalid_logo: {
    status: 400,
    message: 'This file cannot be a logo. Choose a PNG, JPEG or WebP image of at most 256 KB.',
  },
  rule_not_found: { status: 404, message: 'There is no such rule. It may have been deleted.' },
  rule_changed: {
    status: 409,
    message: 'This rule has changed since you opened it. Reload the page to see the change.',
  },
  rule_exists: {
    status: 409,
    message:
      'A rule of this kind already exists for the same sites and items. Change that rule instead.',
  },
  too_many_rules: {
    status: 409,
    message:
      'The limit of rules or of quarantined versions is reached. Delete rules or lift quarantines that you no longer need.',
  },
  already_quarantined: { status: 409, message: 'This version is already quarantined.' },
  quarantine_not_found: { status: 404, message: 'There is no such quarantined version.' },
  quarantine_lifted: { status: 409, message: 'The quarantine of this version is already lifted.' },
  password_reset_unavailable: {
    status: 409,
    message:
      'This panel cannot send e-mail. Ask an owner of the panel for a link to set a new password.',
  },
  backups_not_configured: {
    status: 409,
    message:
      'No folder for backups is set. Set BACKUP_FOLDER on the server of the panel, then restart Steward. Until then, run npx steward backup FILE there.',
  },
  backup_not_found: {
    status: 404,
    message: 'This backup is no longer in the backup folder. Reload the page.',
  },
  backup_unreadable: {
    status: 409,
    message: 'This backup cannot be read. Download another one, or create a new one.',
  },
  channel_not_found: { status: 404, message: 'There is no such notification channel.' },
  too_many_channels: {
    status: 409,
    message: 'There are already 50 notification channels. Delete one first.',
  },
  invalid_channel_url: {
    status: 400,
    message:
      'The URL of the channel must start with https:// or http:// and contain no user name or password.',
  },
  delivery_not_found: { status: 404, message: 'There is no such delivery.' },
  delivery_in_progress: {
    status: 409,
    message: 'Steward is sending this message right now. Reload the list in a minute.',
  },
  delivery_finished: {
    status: 409,
    message: 'This message was already delivered or cancelled. There is nothing to retry.',
  },
  invalid_page_path: {
    status: 400,
    message:
      'A page cannot be checked. Enter the path and query below the home page, such as /checkout/.',
  },
  too_many_tags: { status: 400, message: 'A site can have at most 20 tags. Remove some first.' },
});

export type ErrorCode = keyof typeof REQUEST_ERRORS | keyof typeof SITE_FAILURES;

export const ERROR_CODES = Object.fromEntries(
  Object.entries({ ...REQUEST_ERRORS, ...SITE_FAILURES }).map(([code, { status, message }]) => [
    code,
    { status, message },
  ]),
) as Record<ErrorCode, ErrorCodeEntry>;
