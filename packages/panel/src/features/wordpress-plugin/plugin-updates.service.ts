import { createHash } from 'node:crypto';
import {
  PLUGIN_SLUG,
  type PluginLink,
  type PluginLinkRequest,
  type PluginOffer,
  type PluginOfferRequest,
  pluginSigningText,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { generateLinkToken, hashToken } from '../../platform/secrets.ts';
import type { SiteAuthentication } from '../licenses/index.ts';
import type { SigningKeyService } from '../signing-keys/index.ts';
import { withMissingPluginError } from './missing-plugin.ts';
import {
  consumePluginLink,
  deleteExpiredPluginLinks,
  insertPluginLink,
} from './plugin-links.repository.ts';
import { createPluginZip, PLUGIN_FOLDER, readPluginRequirements } from './plugin-zip.ts';

/** Updates of the Steward plugin on sites, from the version that this panel ships. */
export type PluginUpdateService = {
  offer(request: PluginOfferRequest): Promise<PluginOffer>;
  /** Creates a link to the package for the site that sent the request. */
  createLink(request: PluginLinkRequest): Promise<PluginLink>;
  /** Uses the link up and returns the package. Throws `invalid_link` for an unknown, used or expired link. */
  download(fileName: string, link: string | undefined): Promise<Buffer>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  signingKeys: Pick<SigningKeyService, 'sign'>;
  siteAuthentication: SiteAuthentication;
  getPanelUrl(): string;
  folder?: string;
};

type Package = {
  zip: Buffer;
  sha256: string;
  version: string;
  requires: string;
  requires_php: string;
  tested: string;
};

const LINK_LIFETIME_MS = 5 * 60 * 1000;

export function createPluginUpdateService(deps: Dependencies): PluginUpdateService {
  const { db, clock, signingKeys, siteAuthentication, getPanelUrl, folder = PLUGIN_FOLDER } = deps;
  let cached: { panelUrl: string; package: Promise<Package> } | null = null;

  /** Built once for each address: sites ask for the offer twice a day. */
  function getPackage(): Promise<Package> {
    const panelUrl = getPanelUrl();
    if (cached?.panelUrl !== panelUrl) {
      const current = { panelUrl, package: withMissingPluginError(folder, () => build(panelUrl)) };
      cached = current;
      current.package.catch(() => {
        if (cached === current) cached = null;
      });
    }
    return cached.package;
  }

  async function build(panelUrl: string): Promise<Package> {
    const zip = await createPluginZip(panelUrl, { folder });
    const sha256 = createHash('sha256').update(zip).digest('hex');
    return { zip, sha256, ...readPluginRequirements(folder) };
  }

  async function describe({ version, sha256, zip }: Package) {
    const signatures = await signingKeys.sign(pluginSigningText(version, sha256));
    const signature = signatures.join(',');
    return { slug: PLUGIN_SLUG, version, sha256, size: zip.length, signature };
  }

  return {
    async offer(request) {
      await siteAuthentication.authenticate(request);
      const shipped = await getPackage();
      const { requires, requires_php, tested } = shipped;
      return { ...(await describe(shipped)), requires, requires_php, tested };
    },

    async createLink(request) {
      const { siteId } = await siteAuthentication.authenticate(request);
      const shipped = await getPackage();
      if (request.version !== shipped.version) {
        throw new AppError('not_found', {
          message: `This panel does not offer version ${request.version} of the plugin. Check for updates again.`,
        });
      }
      const link = generateLinkToken();
      const now = clock.now();
      const expiresAt = new Date(now.getTime() + LINK_LIFETIME_MS);
      await deleteExpiredPluginLinks(db, now);
      await insertPluginLink(db, {
        token_hash: toHash(link),
        site_id: siteId,
        version: shipped.version,
        expires_at: expiresAt,
      });
      return { ...(await describe(shipped)), link, expires_at: expiresAt.toISOString() };
    },

    async download(fileName, link) {
      const { version, zip } = await getPackage();
      const isAccepted =
        link !== undefined &&
        fileName === `${PLUGIN_SLUG}-${version}.zip` &&
        (await consumePluginLink(db, { tokenHash: toHash(link), version, now: clock.now() }));
      if (!isAccepted) throw new AppError('invalid_link');
      return zip;
    },
  };
}

function toHash(link: string): Buffer {
  return Buffer.from(hashToken(link), 'hex');
}
