/** A site that counts comes under a license, as its plugin would do it. It is never called. */
export async function activateSite(panelUrl: string, licenseKey: string, siteUrl: string) {
  const answer = await fetch(`${panelUrl}/api/v1/license/activate`, {
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
  const body = (await answer.json()) as { code?: string; activation?: { site_id: number } };
  return { status: answer.status, code: body.code ?? null, siteId: body.activation?.site_id ?? 0 };
}
