import { registerSecret } from '../logs.ts';
import type { ViewOptions } from './use-browser.ts';
import type { usePanelInBrowser } from './use-panel-in-browser.ts';

/** Activates a license on a site as the Steward plugin does. No server runs at the address of the site. */
export async function activateSite(panelUrl: string, licenseKey: string, siteUrl: string) {
  const response = await fetch(`${panelUrl}/api/v1/license/activate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      license_key: licenseKey,
      site_url: siteUrl,
      cms_version: '6.8.2',
      php_version: '8.3.11',
      plugin_version: '0.1.0',
    }),
  });
  const body = (await response.json()) as {
    code?: string;
    activation?: { site_id: number };
    activation_token?: string;
  };
  if (body.activation_token) registerSecret(body.activation_token);
  return {
    status: response.status,
    code: body.code ?? null,
    siteId: body.activation?.site_id ?? 0,
  };
}

/** Returns a function that creates a license with sites and opens its page in a browser. */
export function createLicenseOpener(panel: ReturnType<typeof usePanelInBrowser>) {
  return async (siteLimit: number, sites: string[] = [], view: ViewOptions = {}) => {
    const { id, license_key } = await panel.license(siteLimit);
    registerSecret(license_key);
    for (const site of sites) await activateSite(panel.url, license_key, `https://${site}`);
    const visitor = await panel.open(panel.owner, `/licenses/${id}`, view);
    const lastSix = license_key.slice(-6);
    await visitor.page.getByRole('heading', { name: `License …${lastSix}` }).waitFor();
    return { id, license_key, lastSix, page: visitor.page, visitor };
  };
}
