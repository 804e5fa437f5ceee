import type { TSchema } from 'typebox';
import type { ErrorCode } from '../error-codes.ts';
import {
  BulkUpdateRequest,
  BulkUpdateResponse,
  PluginActionResponse,
  ProofRequest,
  ProofResponse,
  SelfUpdateRequest,
  SitePluginActionRequest,
  SyncResponse,
  VerdictRequest,
  VerdictResponse,
} from './site-api.ts';
import {
  CreateLoginRequest,
  CreateLoginResponse,
  ListLoginUsersResponse,
} from './site-login-api.ts';
import { InstallRequest, RestoreRequest } from './site-packages-api.ts';

export type SiteOperation = {
  id: string;
  summary: string;
  description?: string;
  /**
   * `key`: the service key; also a signature if the site has a site key and accepts no unsigned calls. `signature`: only a
   * signature.
   */
  access: 'key' | 'key_and_signature' | 'signature';
  body?: TSchema;
  isBodyOptional?: true;
  response: TSchema;
  errors: readonly ErrorCode[];
};

const CHANGE_ERRORS = ['file_changes_disabled', 'site_busy'] as const;

/** The calls of the panel to a site, by their path below the prefix of the site API. For the API description. */
export const SITE_OPERATIONS: Record<string, SiteOperation> = {
  'remote/update': {
    id: 'updateSite',
    summary: 'Install all pending updates, or single ones',
    description:
      'The body needs the capability `update.items`. A site that cannot open its own pages responds 409 `outside_look_needed` (capability `outside_look`).',
    access: 'key',
    body: BulkUpdateRequest,
    isBodyOptional: true,
    response: BulkUpdateResponse,
    errors: [...CHANGE_ERRORS, 'invalid_items', 'outside_look_needed'],
  },
  'remote/plugin-action': {
    id: 'runPluginActionOnSite',
    summary: 'Update, activate, deactivate or delete one plugin',
    access: 'key',
    body: SitePluginActionRequest,
    response: PluginActionResponse,
    errors: [
      ...CHANGE_ERRORS,
      'missing_parameter',
      'invalid_action',
      'invalid_plugin',
      'management_plugin',
      'plugin_not_found',
      'outside_look_needed',
    ],
  },
  'remote/sync': {
    id: 'syncSite',
    summary: 'Check for updates and report the inventory to the panel',
    access: 'key',
    response: SyncResponse,
    errors: ['site_busy'],
  },
  'remote/install': {
    id: 'installOnSite',
    summary: 'Install plugins and themes',
    description: 'Needs the capability `install`.',
    access: 'key_and_signature',
    body: InstallRequest,
    response: BulkUpdateResponse,
    errors: [...CHANGE_ERRORS, 'invalid_items'],
  },
  'remote/restore': {
    id: 'restoreOnSite',
    summary: 'Restore saved versions of plugins and themes',
    description: 'Needs the capability `restore`.',
    access: 'key',
    body: RestoreRequest,
    response: BulkUpdateResponse,
    errors: [...CHANGE_ERRORS, 'invalid_items', 'outside_look_needed'],
  },
  'remote/self-update': {
    id: 'updatePluginOnSite',
    summary: 'Update the Steward plugin of the site',
    description: 'Needs the capability `self_update`.',
    access: 'key',
    body: SelfUpdateRequest,
    isBodyOptional: true,
    response: BulkUpdateResponse,
    errors: [...CHANGE_ERRORS, 'outside_look_needed'],
  },
  'remote/login-users': {
    id: 'listLoginUsersOfSite',
    summary: 'List the users of the site that users of the panel may log in as',
    description: 'Needs the capability `login`.',
    access: 'key_and_signature',
    response: ListLoginUsersResponse,
    errors: ['login_off'],
  },
  'remote/login': {
    id: 'createLoginOnSite',
    summary: 'Create a token that logs a user of the panel in as a user of the site',
    description: 'Needs the capability `login`.',
    access: 'key_and_signature',
    body: CreateLoginRequest,
    response: CreateLoginResponse,
    errors: ['login_off', 'login_user_not_allowed'],
  },
  'remote/verdict': {
    id: 'sendVerdictToSite',
    summary: 'Send the result of the health check that the panel made for the site',
    description:
      'With `call`: needs the capability `outside_look`. With `plugin_version` instead: needs the capability `update_guard` and a signature, but no key.',
    access: 'key',
    body: VerdictRequest,
    response: VerdictResponse,
    errors: ['not_found', 'site_busy'],
  },
  'remote/proof': {
    id: 'proveSiteAddress',
    summary: 'Prove that the site has this address',
    description: 'Also works while remote management is off.',
    access: 'signature',
    body: ProofRequest,
    response: ProofResponse,
    errors: [],
  },
  'remote/check': {
    id: 'requestCheckIn',
    summary: 'Ask the site to check its license now',
    description: 'Also works while remote management is off.',
    access: 'signature',
    response: SyncResponse,
    errors: [],
  },
};

const ERRORS_OF_EVERY_CALL = [
  'invalid_request',
  'request_too_large',
  // Also if another plugin of the site ended the call.
  'action_failed',
  'internal_error',
] as const;

/** The last two only in response to a call that the connected or the former panel has signed. */
const SIGNATURE_ERRORS = [
  'invalid_signature',
  'site_address_changed',
  'site_connected_elsewhere',
] as const;

/** Returns all error codes that a site can send for an operation. */
export function listSiteErrors({ access, errors }: SiteOperation): ErrorCode[] {
  const keyErrors =
    access === 'signature' ? [] : (['invalid_service_key', 'remote_disabled'] as const);
  return [...ERRORS_OF_EVERY_CALL, ...SIGNATURE_ERRORS, ...keyErrors, ...errors];
}
