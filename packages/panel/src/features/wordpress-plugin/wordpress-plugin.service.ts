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
  /** Returns a zip with a code that exists already, for clients without a session. */
  downloadWithCode(requestHost: string, code: string): Promise<PluginDownload>;
};

export type EnrolmentRequest = { licenseId: number; origin: AuditOrigin };

type Dependencies = {
  getPanelUrl(): string;
  enrolmentCodes: Pick<EnrolmentCodeService, 'create' | 'assertUsable'>;
  folder?: string;
};

export function createWordPressPluginService({
  getPanelUrl,
  enrolmentCodes,
  folder = PLUGIN_FOLDER,
}: Dependencies): WordPressPluginService {
  async function createDownload(
    requestHost: string,
    provideCode?: () => Promise<string>,
  ): Promise<PluginDownload> {
    const panelUrl = getPanelUrl();
    assertPanelReachable(panelUrl, requestHost);
    return withMissingPluginError(folder, async () => {
      const version = readPluginVersion(folder);
      if (!provideCode) {
        const zip = await createPluginZip(panelUrl, { folder });
        return { fileName: `steward-${version}.zip`, zip };
      }
      const enrolmentCode = await provideCode();
      const zip = await createPluginZip(panelUrl, { folder, enrolmentCode });
      return { fileName: `steward-${version}-one-site.zip`, zip };
    });
  }

  return {
    download: (requestHost, enrolment) =>
      createDownload(
        requestHost,
        enrolment &&
          (async () => {
            const { licenseId, origin } = enrolment;
            const [created] = await enrolmentCodes.create(licenseId, 1, origin);
            if (!created) throw new Error('No enrolment code was created.');
            return created.code;
          }),
      ),

    downloadWithCode: (requestHost, code) =>
      createDownload(requestHost, () => enrolmentCodes.assertUsable(code)),
  };
}

/**
 * Throws if sites cannot reach the panel: without BASE_URL, its address is localhost, but the user opened the panel at
 * another host. The zip never contains the host of the request: with a forged Host header, sites would send their keys
 * to another host.
 */
export function assertPanelReachable(panelUrl: string, requestHost: string): void {
  if (!isLoopback(URL.parse(panelUrl)) || isLoopback(URL.parse(`http://${requestHost}`))) return;
  throw new AppError('base_url_missing', { internal: `requested at host ${requestHost}` });
}

function isLoopback(url: URL | null): boolean {
  return url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}
