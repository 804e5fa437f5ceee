import Type from 'typebox';
import { LICENSE_STATUSES } from '../license-verdict.ts';
import { OLD_KEY_DAYS_MAX, SITE_LIMIT_MAX } from '../limits.ts';
import { Activation, License } from './license-api.ts';
import { idInQuery, page, pageQuery, SiteKeyKind, typedText } from './panel-sites-api.ts';
import { nullable, requiredText, stringEnum, timestamp, trueOnly } from './vocabulary.ts';

/** Requests of the license screens to the panel. */

const siteLimit = () =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: SITE_LIMIT_MAX,
    description: 'The maximum number of sites at the same time. Null: unlimited.',
  });
const moment = () =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 40,
    description: 'A date or a time in ISO 8601. Null: never.',
  });

export const LicensesQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(typedText(200)),
  status: Type.Optional(stringEnum(LICENSE_STATUSES)),
  plan: Type.Optional(typedText(200)),
});
export type LicensesQuery = Type.Static<typeof LicensesQuery>;

export const LicenseSummary = Type.Object({
  id: Type.Integer(),
  key_last_six: Type.String(),
  ...License.properties,
  created_at: timestamp(),
});
export type LicenseSummary = Type.Static<typeof LicenseSummary>;

export const LicensesResponse = Type.Object({
  success: trueOnly(),
  licenses: Type.Array(LicenseSummary),
  ...page,
});

export const LicenseResponse = Type.Object({ success: trueOnly(), license: LicenseSummary });

export const LicenseActivation = Type.Object({
  ...Activation.properties,
  key: SiteKeyKind,
  cms_version: Type.String(),
  php_version: Type.String(),
  plugin_version: Type.String(),
});

/** A license may have 100,000 sites. The site list shows all of them, page by page. */
export const ACTIVATIONS_SHOWN_MAX = 100;

export const KeyRotation = Type.Object({
  old_key_last_six: Type.String(),
  ends_at: timestamp(),
  has_ended: Type.Boolean(),
  sites_left: Type.Integer({ description: 'Active sites that still use the old key.' }),
});
export type KeyRotation = Type.Static<typeof KeyRotation>;

export const LicenseDetails = Type.Object({
  ...LicenseSummary.properties,
  uncounted_sites: Type.Integer({ description: 'Active sites that use no seat.' }),
  rotation: Type.Unsafe<KeyRotation | null>({
    ...KeyRotation,
    type: ['object', 'null'],
    description: 'The rotation of the license key. Null after the last site has the new key.',
  }),
  activations_total: Type.Integer({ description: 'All activations, including ended ones.' }),
  activations: Type.Array(LicenseActivation, {
    maxItems: ACTIVATIONS_SHOWN_MAX,
    description: 'The newest activations.',
  }),
});
export type LicenseDetails = Type.Static<typeof LicenseDetails>;
export const LicenseDetailsResponse = Type.Object({ success: trueOnly(), license: LicenseDetails });

export const CreateLicenseRequest = Type.Object({
  plan: requiredText(100),
  site_limit: Type.Optional(siteLimit()),
  services: Type.Optional(Type.Array(requiredText(100), { maxItems: 100 })),
  expires_at: Type.Optional(moment()),
});
export type CreateLicenseRequest = Type.Static<typeof CreateLicenseRequest>;

/** The only response with a license key besides an explicit reveal. */
export const NewLicenseResponse = Type.Object({
  success: trueOnly(),
  license: Type.Object({ ...LicenseSummary.properties, license_key: Type.String() }),
});

/** `old_key_days`: how long the old key is still accepted. 0: it stops working immediately. */
export const RotateKeyRequest = Type.Object({
  old_key_days: Type.Optional(Type.Integer({ minimum: 0, maximum: OLD_KEY_DAYS_MAX })),
});
export const ExtendLicenseRequest = Type.Object({ expires_at: moment() });
export const SetLimitRequest = Type.Object({ site_limit: siteLimit() });
/** Omitted: the current limit. */
export const LimitPreviewQuery = Type.Object({ site_limit: Type.Optional(typedText(20)) });

/** The effect of another limit. Connected sites stay connected under any limit. */
export const LimitPreview = Type.Object({
  site_limit: nullable.integer(),
  sites_used: Type.Integer(),
  sites_remaining: nullable.integer(),
  sites_over: Type.Integer({ description: 'The number of connected sites beyond the limit.' }),
  uncounted_sites: Type.Integer(),
  uncounted_limit: nullable.integer(),
  summary: Type.String(),
});
export type LimitPreview = Type.Static<typeof LimitPreview>;
export const LimitPreviewResponse = Type.Object({ success: trueOnly(), preview: LimitPreview });

export const ReleaseParams = Type.Object({ id: idInQuery(), site_id: idInQuery() });
export const ReleaseResponse = Type.Object({
  success: trueOnly(),
  license: License,
  activation: Activation,
});

export const RevealKeyResponse = Type.Object({ success: trueOnly(), license_key: Type.String() });

export const PlansResponse = Type.Object({
  success: trueOnly(),
  plans: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      slug: Type.String(),
      services: Type.Array(Type.String()),
      site_limit: nullable.integer(),
    }),
  ),
});
