import Type from 'typebox';
import { LICENSE_STATUSES } from '../license-verdict.ts';
import { LICENSE_LABEL_MAX_LENGTH, OLD_KEY_DAYS_MAX, SITE_LIMIT_MAX } from '../limits.ts';
import { nullable, requiredText, stringEnum, timestamp, trueOnly } from './common.ts';
import { Activation, License } from './license-api.ts';
import { idString, page, pageQuery, SiteKeyKind, userInput } from './panel-sites-api.ts';

/** Requests of the license screens to the panel. */

const siteLimit = () =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: SITE_LIMIT_MAX,
    description:
      'The maximum number of connected sites, not counting sites on a local or staging address. Null: unlimited.',
  });
const expiry = () =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 40,
    description: 'ISO 8601: a time, or the last valid day (UTC). Null: the license never expires.',
  });

/** One line of text. The panel trims it; an empty text becomes null. */
const labelField = (description: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: LICENSE_LABEL_MAX_LENGTH,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description,
  });
const labelFields = () => ({
  name: Type.Optional(labelField('A name for the screens. Null: none.')),
  customer: Type.Optional(labelField('The customer of this license. Null: none.')),
});

export const LicensesQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(userInput(200)),
  status: Type.Optional(stringEnum(LICENSE_STATUSES)),
  plan: Type.Optional(userInput(200)),
});
export type LicensesQuery = Type.Static<typeof LicensesQuery>;

export const LicenseSummary = Type.Object({
  id: Type.Integer(),
  key_last_six: Type.String(),
  name: nullable.string(),
  customer: nullable.string(),
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
  site_name: Type.String(),
  key: SiteKeyKind,
  cms_version: Type.String(),
  php_version: Type.String(),
  plugin_version: Type.String(),
});

/** Limits the size of the response. `GET /panel/sites` returns all sites of a license, page by page. */
export const ACTIVATIONS_SHOWN_MAX = 100;

export const KeyRotation = Type.Object({
  old_key_last_six: Type.String(),
  ends_at: timestamp(),
  has_ended: Type.Boolean(),
  sites_left: Type.Integer({
    description: 'Connected sites that use the old key or an even older one.',
  }),
});
export type KeyRotation = Type.Static<typeof KeyRotation>;

export const LicenseDetails = Type.Object({
  ...LicenseSummary.properties,
  uncounted_sites: Type.Integer({
    description:
      'Connected sites on a local or staging address. They do not count toward the site limit.',
  }),
  rotation: Type.Unsafe<KeyRotation | null>({
    ...KeyRotation,
    type: ['object', 'null'],
    description:
      'The replacement of the license key. Null: never replaced, or the old key has expired and no site uses it. A revoked license accepts no key, also before `ends_at`.',
  }),
  activations_total: Type.Integer({
    description: 'All activations, including ended ones, without archived sites.',
  }),
  activations: Type.Array(LicenseActivation, {
    maxItems: ACTIVATIONS_SHOWN_MAX,
    description: 'The newest activations.',
  }),
});
export type LicenseDetails = Type.Static<typeof LicenseDetails>;
export const LicenseDetailsResponse = Type.Object({ success: trueOnly(), license: LicenseDetails });

export const CreateLicenseRequest = Type.Object({
  ...labelFields(),
  plan: requiredText(100),
  site_limit: Type.Optional(siteLimit()),
  services: Type.Optional(Type.Array(requiredText(100), { maxItems: 100 })),
  expires_at: Type.Optional(expiry()),
});
export type CreateLicenseRequest = Type.Static<typeof CreateLicenseRequest>;

/** Absent fields stay unchanged. */
export const UpdateLicenseRequest = Type.Object(labelFields());
export type UpdateLicenseRequest = Type.Static<typeof UpdateLicenseRequest>;

/** The response to a new license or a new key. Later only `reveal-key` returns the key. */
export const NewLicenseResponse = Type.Object({
  success: trueOnly(),
  license: Type.Object({ ...LicenseSummary.properties, license_key: Type.String() }),
});

/** `old_key_days`: how long the old key is still accepted. 0: it stops working immediately. */
export const RotateKeyRequest = Type.Object({
  old_key_days: Type.Optional(Type.Integer({ minimum: 0, maximum: OLD_KEY_DAYS_MAX })),
});
export const ExtendLicenseRequest = Type.Object({ expires_at: expiry() });
export const SetLimitRequest = Type.Object({ site_limit: siteLimit() });
/** Without `site_limit`, the preview is for the current limit. */
export const LimitPreviewQuery = Type.Object({ site_limit: Type.Optional(userInput(20)) });

/** The effect of a site limit. Connected sites stay connected under any limit. */
export const LimitPreview = Type.Object({
  site_limit: nullable.integer(),
  sites_used: Type.Integer(),
  sites_remaining: nullable.integer(),
  sites_over: Type.Integer({ description: 'The number of connected sites beyond the limit.' }),
  uncounted_sites: Type.Integer({ description: 'Connected sites on a local or staging address.' }),
  uncounted_limit: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The maximum number of sites on a local or staging address. Null: unlimited.',
  }),
  summary: Type.String({ description: 'The effect in sentences for users.' }),
});
export type LimitPreview = Type.Static<typeof LimitPreview>;
export const LimitPreviewResponse = Type.Object({ success: trueOnly(), preview: LimitPreview });

export const ReleaseParams = Type.Object({ id: idString(), site_id: idString() });
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
