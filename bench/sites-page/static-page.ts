import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { openSignedInContext, type Panel } from './signed-in-context.ts';

export const FIRST_ROW = 'tr[data-row]';

type StoredResponse = { headers: Record<string, string>; body: Buffer };

/**
 * Serves the list of sites as a static page: the HTML of the panel after it has shown its rows, with the same assets. The
 * scripts are only downloaded. No page of this shape can show its first row earlier.
 */
export async function serveStaticPage(browser: Browser, panel: Panel) {
  const page = Buffer.from(toStaticHtml(await readRenderedHtml(browser, panel)));
  const assets = new Map<string, StoredResponse>();
  for (const path of listAssets(page.toString())) {
    assets.set(path, await download(panel.url + path));
  }
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const asset = assets.get(path);
    if (asset) return response.writeHead(200, asset.headers).end(asset.body);
    const isPage = path === '/sites';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    return response.end(isPage ? page : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function readRenderedHtml(browser: Browser, panel: Panel): Promise<string> {
  const context = await openSignedInContext(browser, panel);
  const page = await context.newPage();
  await page.goto(`${panel.url}/sites`);
  await page.locator(FIRST_ROW).first().waitFor();
  const html = await page.content();
  await context.close();
  return html;
}

/** Scripts become preloads: the browser downloads them, as for the panel, but does not run them. */
function toStaticHtml(html: string): string {
  return html
    .replace(/<script[^>]*\ssrc="([^"]+)"[^>]*><\/script>/g, '<link rel="modulepreload" href="$1">')
    .replace(/<script[^>]*>[\s\S]*?<\/script>/g, '');
}

function listAssets(html: string): Set<string> {
  const links = html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g);
  return new Set([...links].map(([, path = '']) => path));
}

async function download(url: string): Promise<StoredResponse> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const type = response.headers.get('content-type') ?? 'application/octet-stream';
  return { headers: { 'content-type': type }, body: Buffer.from(await response.arrayBuffer()) };
}
