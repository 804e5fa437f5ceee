import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { EnrolmentCodeService } from '../licenses/index.ts';
import { withMissingPluginError } from './missing-plugin.ts';
import { createPluginZip, PLUGIN_FOLDER, readPluginVersion } from './plugin-zip.ts';

export type PluginDownload = { fileName: string; zip: Buffer };

export type WordPressPluginService = {
  /**
   * `requestHost` is the Host header of the request. With `enrolment`, the zip contains a new enrolment code and
   * connects one site.
   */
  download(requestHost: string, enrolment?: EnrolmentRequest): Promise<PluginDownload>;
};

export type EnrolmentRequest = { licenseId: number; origin: AuditOrigin };

type Dependencies = {
  getPanelUrl(): string;
  enrolmentCodes: Pick<EnrolmentCodeService, 'create'>;
  folder?: string;
};

export function createWordPressPluginService({
  getPanelUrl,
  enrolmentCodes,
  folder = PLUGIN_FOLDER,
}: Dependencies): WordPressPluginService {
  return {
    async download(requestHost, enrolment) {
      const panelUrl = getPanelUrl();
      assertReachable(panelUrl, requestHost);
      return withMissingPluginError(folder, async () => {
        const version = readPluginVersion(folder);
        if (!enrolment) {
          const zip = await createPluginZip(panelUrl, { folder });
          return { fileName: `steward-${version}.zip`, zip };
        }
        const { licenseId, origin } = enrolment;
        const [created] = await enrolmentCodes.create(licenseId, 1, origin);
        if (!created) throw new Error('No enrolment code was created.');
        const zip = await createPluginZip(panelUrl, { folder, enrolmentCode: created.code });
        return { fileName: `steward-${version}-one-site.zip`, zip };
      });
    },
  };
}

/**
 * Without BASE_URL, the panel's address is localhost, which other machines cannot reach. Throws if the user opened the
 * panel at another host. The zip never contains the Host header: with a forged header, sites would send their keys to
 * another host.
 */
export function assertReachable(panelUrl: string, requestHost: string): void {
  if (!isLoopback(URL.parse(panelUrl)) || isLoopback(URL.parse(`http://${requestHost}`))) return;
  throw new AppError('base_url_missing', { internal: `requested at host ${requestHost}` });
}

function isLoopback(url: URL | null): boolean {
  return url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}
