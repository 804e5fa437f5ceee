import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { assertActive } from './license-assertions.ts';
import { findLicenseOnSite } from './license-on-site.repository.ts';
import { findLicense } from './licenses.repository.ts';
import { acceptsToken, parseKey, parseSiteUrl } from './parse-request.ts';
import { buildUnknownKeyError } from './unknown-key-error.ts';

type Credentials = { license_key: string; site_url: string; activation_token?: string };

/** Authenticates a site by its site key, for calls that change nothing on the license. */
export type SiteAuthentication = {
  /** Throws unless the site has a site key and its license is valid and active. Checks in the order of `check`. */
  authenticate(credentials: Credentials): Promise<{ siteId: number }>;
};

type Dependencies = { db: Database; secrets: Secrets; clock: Clock };

export function createSiteAuthentication(deps: Dependencies): SiteAuthentication {
  const { db, secrets, clock } = deps;
  return {
    async authenticate({ license_key, site_url, activation_token: token }) {
      const site = parseSiteUrl(site_url);
      const key = parseKey(license_key, secrets);
      if (!key.isSiteKey) throw await buildLicenseKeyError(key.hash);
      const found = await findLicenseOnSite(db, key, site.canonical, clock.now());
      if (!found?.activation) throw await buildUnknownKeyError(db, key, site.canonical);
      const { license, activation: record } = found;
      const activation = { ...record, tokenMatches: acceptsToken(record, token) };
      assertActive({ license, activation }, clock.now());
      return { siteId: record.site_id };
    },
  };

  /** Does not reveal anything to a client with an unknown license key. */
  async function buildLicenseKeyError(hash: string): Promise<AppError> {
    const license = await findLicense(db, { keyHash: hash, now: clock.now() });
    if (!license) return new AppError('invalid_license_key');
    return new AppError('site_key_required', {
      message:
        'Only a site with its own site key can get the plugin from its panel. Enable the PHP extension sodium on the site.',
    });
  }
}
