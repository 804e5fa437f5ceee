import Type from 'typebox';
import { LICENSE_STATUSES } from '../license-verdict.ts';
import { SAVED_VERSIONS_MAX } from '../limits.ts';
import { BackupStateReport } from './backup-state.ts';
import { callLogInRequest, callLogInResponse } from './call-log-api.ts';
import { ErrorBody, nullable, requiredText, stringEnum, timestamp, trueOnly } from './common.ts';
import { itemErrorsInRequest } from './item-errors-api.ts';
import { PreflightReport, requirements, timeZone } from './preflight-report.ts';

/** The license API: requests of the Steward plugin or the agent to the panel. */

export const ENVIRONMENTS = ['production', 'staging', 'development', 'local'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

const licenseKey = () =>
  Type.String({
    minLength: 1,
    description: 'The license key or the site key. `activate` also accepts an enrolment code.',
  });
const siteUrl = () => Type.String({ minLength: 1, description: 'The address of the site.' });
const versionText = () => requiredText(64);
const token = () =>
  Type.Optional(
    Type.String({
      description: 'The token that `activate` returned. The panel checks it if it is present.',
    }),
  );
const environment = () => Type.Optional(stringEnum(ENVIRONMENTS));
/** Protocol extensions. A side uses an extension only after the other side has announced it. */
export const CAPABILITIES = [
  'result_details',
  'outside_look',
  'probe',
  'site_key',
  'signed_calls',
  'call_log',
  'update.items',
  'install',
  'restore',
  'self_update',
  'update_guard',
  'preflight',
  'item_errors',
  'page_checks',
  'backup_state',
  'login',
] as const;

const capabilities = () =>
  Type.Optional(
    Type.Array(requiredText(64), {
      maxItems: 32,
      description: 'The protocol extensions that the sender supports.',
    }),
  );
const endpointUrl = () =>
  Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        'The URL of the endpoints on the site. The panel uses it if it has the origin of the site, or after an owner has approved its host.',
    }),
  );

/** The public signing key of the panel: 32 bytes in base64. */
const signingKey = () =>
  Type.Optional(
    Type.Object({
      public_key: Type.String({ maxLength: 64 }),
      previous: Type.Optional(
        Type.Object(
          {
            public_key: Type.String({ maxLength: 64 }),
            signature: Type.String({ maxLength: 128 }),
          },
          { description: 'The previous key, and its signature over the new key.' },
        ),
      ),
    }),
  );

export const ValidateRequest = Type.Object({
  license_key: licenseKey(),
  site_url: Type.Optional(siteUrl()),
});

export const ActivateRequest = Type.Object({
  license_key: licenseKey(),
  site_url: siteUrl(),
  cms_version: versionText(),
  php_version: versionText(),
  plugin_version: versionText(),
  activation_token: token(),
  environment: environment(),
  endpoint_url: endpointUrl(),
  capabilities: capabilities(),
  time_zone: timeZone(),
});
export type ActivateRequest = Type.Static<typeof ActivateRequest>;

export const DeactivateRequest = Type.Object({
  license_key: licenseKey(),
  site_url: siteUrl(),
  activation_token: token(),
});
export type DeactivateRequest = Type.Static<typeof DeactivateRequest>;

export const CheckRequest = Type.Object({
  license_key: licenseKey(),
  site_url: siteUrl(),
  cms_version: versionText(),
  php_version: versionText(),
  plugin_version: versionText(),
  activation_token: token(),
  environment: environment(),
  capabilities: capabilities(),
});
export type CheckRequest = Type.Static<typeof CheckRequest>;

const autoUpdate = () =>
  Type.Optional(
    Type.Boolean({ description: 'True: the CMS installs updates of this item by itself.' }),
  );

const inventoryItem = {
  name: Type.String({ description: 'Truncated after 2,000 characters.' }),
  version: Type.String({ maxLength: 64 }),
  active: Type.Boolean(),
  new_version: Type.Optional(
    Type.String({ maxLength: 64, description: 'Present when an update is pending.' }),
  ),
  auto_update: autoUpdate(),
  saved_versions: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: SAVED_VERSIONS_MAX,
      description: 'Replaced versions that the site can restore, the most recently replaced first.',
    }),
  ),
  ...requirements,
};

export const Inventory = Type.Object({
  plugins: Type.Array(Type.Object({ plugin: requiredText(500), ...inventoryItem })),
  themes: Type.Array(Type.Object({ slug: requiredText(500), ...inventoryItem })),
  core: Type.Object({
    version: inventoryItem.version,
    new_version: inventoryItem.new_version,
    auto_update: autoUpdate(),
    ...requirements,
  }),
});
export type Inventory = Type.Static<typeof Inventory>;

export const VerifyRequest = Type.Object({
  license_key: licenseKey(),
  site_url: siteUrl(),
  cms_version: Type.Optional(versionText()),
  php_version: Type.Optional(versionText()),
  plugin_version: Type.Optional(versionText()),
  activation_token: token(),
  environment: environment(),
  endpoint_url: endpointUrl(),
  inventory: Type.Optional(Inventory),
  preflight: Type.Optional(PreflightReport),
  backup_state: Type.Optional(BackupStateReport),
  time_zone: timeZone(),
  probe: Type.Optional(
    Type.Boolean({
      description: 'True: the panel calls the site and reports whether the call succeeded.',
    }),
  ),
  call_log: callLogInRequest(),
  item_errors: itemErrorsInRequest(),
  capabilities: capabilities(),
  accepts_unsigned_calls: Type.Optional(
    Type.Boolean({
      description: 'True: the site accepts unsigned calls, with its key only.',
    }),
  ),
});
export type VerifyRequest = Type.Static<typeof VerifyRequest>;

export const License = Type.Object({
  status: stringEnum(LICENSE_STATUSES),
  valid: Type.Boolean(),
  plan: Type.Object({
    name: Type.String(),
    slug: Type.String(),
    services: Type.Array(Type.String()),
  }),
  site_limit: nullable.integer(),
  sites_used: Type.Integer(),
  sites_remaining: nullable.integer(),
  expires_at: nullable.timestamp(),
});
export type License = Type.Static<typeof License>;

export const ACTIVATION_STATUSES = ['active', 'deactivated'] as const;
export type ActivationStatus = (typeof ACTIVATION_STATUSES)[number];

export const Activation = Type.Object({
  site_id: Type.Integer(),
  site_url: Type.String(),
  status: stringEnum(ACTIVATION_STATUSES),
  counted: Type.Boolean({
    description:
      'False for a site on a local or staging address, which does not count toward the site limit.',
  }),
  activated_at: timestamp(),
  last_check_at: nullable.timestamp(),
});
export type Activation = Type.Static<typeof Activation>;

export const ValidateResponse = Type.Object({
  success: trueOnly(),
  license: License,
  activation: Type.Optional(Activation),
});

export const ActivateResponse = Type.Object({
  success: trueOnly(),
  license: License,
  activation: Activation,
  activation_token: Type.String(),
  site_key: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The site key. It replaces the license key on this site.',
    }),
  ),
  is_proof_pending: Type.Optional(
    Type.Boolean({
      description: 'True: token and key are not valid until the site has proven its address.',
    }),
  ),
  signing_key: signingKey(),
  capabilities: capabilities(),
});

export const DeactivateResponse = Type.Object({
  success: trueOnly(),
  license: License,
  activation: Activation,
});

/** The response of `check` and `site/verify`. */
export const CheckResponse = Type.Object({
  success: trueOnly(),
  license: License,
  activation: Activation,
  enabled_services: Type.Array(Type.String()),
  next_check_in: Type.Integer({ description: 'Seconds until the site should check in again.' }),
  endpoint: Type.Optional(
    Type.Object(
      { reachable: Type.Boolean(), error: Type.Optional(Type.String()) },
      { description: 'The result of the call requested with `probe`.' },
    ),
  ),
  call_log: callLogInResponse(),
  signing_key: signingKey(),
  capabilities: capabilities(),
});

export const Service = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  version: Type.String(),
  category: Type.String(),
});
export type Service = Type.Static<typeof Service>;

export const ServicesResponse = Type.Object({
  success: trueOnly(),
  services: Type.Array(Service),
});

/** A refusal may include the license and its site limit. */
export const LicenseErrorBody = Type.Object({
  ...ErrorBody.properties,
  license: Type.Optional(License),
  site_limit: Type.Optional(Type.Integer()),
  sites_used: Type.Optional(Type.Integer()),
  retry_at: Type.Optional(Type.String()),
});
export type LicenseErrorBody = Type.Static<typeof LicenseErrorBody>;
