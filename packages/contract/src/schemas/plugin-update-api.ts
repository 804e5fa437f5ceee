import Type from 'typebox';
import { PACKAGE_MAX_BYTES } from '../limits.ts';
import { requiredText, timestamp, trueOnly } from './common.ts';

/** The license API for updates of the Steward plugin itself. Only for sites with a site key. */

const credentials = {
  license_key: Type.String({ minLength: 1, description: 'The site key.' }),
  site_url: Type.String({ minLength: 1, description: 'The address of the site.' }),
  activation_token: Type.Optional(
    Type.String({ description: 'The token that `activate` returned.' }),
  ),
};

export const PluginOfferRequest = Type.Object(credentials);
export type PluginOfferRequest = Type.Static<typeof PluginOfferRequest>;

const packageFields = {
  slug: requiredText(64),
  version: requiredText(64),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  size: Type.Integer({ minimum: 1, maximum: PACKAGE_MAX_BYTES }),
  signature: Type.String({
    maxLength: 400,
    description:
      'Ed25519 signature of `pluginSigningText`, in base64. During a key rotation: two signatures, separated by a comma.',
  }),
};

/**
 * The panel serves the package at `/api/v1/plugin/package/steward-{version}.zip?link={link}`, with a link from
 * `PluginLink`.
 */
export const PluginOffer = Type.Object({
  ...packageFields,
  requires: Type.String({ description: 'The oldest CMS version that the plugin supports.' }),
  requires_php: Type.String(),
  tested: Type.String({ description: 'The newest tested CMS version.' }),
});
export type PluginOffer = Type.Static<typeof PluginOffer>;

export const PluginOfferResponse = Type.Object({ success: trueOnly(), offer: PluginOffer });

export const PluginLinkRequest = Type.Object({
  ...credentials,
  version: Type.String({ minLength: 1, maxLength: 64, description: 'The offered version.' }),
});
export type PluginLinkRequest = Type.Static<typeof PluginLinkRequest>;

export const PluginLink = Type.Object({
  ...packageFields,
  link: Type.String({
    description:
      'The value of the query parameter `link` in the address of the package. It works once, for a few minutes.',
  }),
  expires_at: timestamp(),
});
export type PluginLink = Type.Static<typeof PluginLink>;

export const PluginLinkResponse = Type.Object({ success: trueOnly(), package: PluginLink });
