import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeZip } from '../zip.ts';
import { writeCoreZip } from './core-zip.ts';
import { type PluginOptions, pluginFiles, type ThemeOptions, themeFiles } from './fixtures.ts';

/**
 * Cut off: WordPress cannot open it. Garbled: WordPress unpacks an empty file from it, puts that in
 * the place of the plugin and calls it a success.
 */
export type Corrupt = boolean | 'garbled';

/** Makes packages as wordpress.org would have them; each method gives the address of one. */
export type Packages = {
  url: string;
  folder: string;
  plugin(
    name: string,
    version: string,
    options?: PluginOptions & { corrupt?: Corrupt },
  ): Promise<string>;
  theme(slug: string, version: string, options?: ThemeOptions): Promise<string>;
  corePackage(version: string): Promise<string>;
  stop(): Promise<void>;
};

/** Serves a folder on loopback; core packages are big and stay in the bed's folder for all. */
export async function servePackages(folder: string, bedFolder: string): Promise<Packages> {
  await mkdir(folder, { recursive: true });
  const server = createServer(async ({ url = '' }, response) => {
    const name = basename(url);
    const path = join(name.startsWith('core-') ? bedFolder : folder, name);
    const size = (await stat(path).catch(() => null))?.size;
    if (size === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/zip', 'content-length': size });
    // The reader may hang up.
    await pipeline(createReadStream(path), response).catch(() => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const publish = async (name: string, files: Record<string, string>) => {
    const entries = Object.entries(files).map(([path, content]) => ({ name: path, content }));
    await writeZip(join(folder, name), entries);
    return `${url}/${name}`;
  };
  return {
    url,
    folder,
    async plugin(name, version, { corrupt = false, ...options } = {}) {
      const zip = `plugin-${name}-${version}.zip`;
      const address = await publish(zip, pluginFiles(name, version, options));
      if (corrupt) await breakZip(join(folder, zip), corrupt);
      return address;
    },
    theme: (slug, version, options = {}) =>
      publish(`theme-${slug}-${version}.zip`, themeFiles(slug, version, options)),
    async corePackage(version) {
      const zip = `core-${version}.zip`;
      await writeCoreZip(join(bedFolder, zip), version);
      return `${url}/${zip}`;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function breakZip(path: string, how: Corrupt): Promise<void> {
  const bytes = await readFile(path);
  // The directory at the end stays, so the fault shows only when the file itself is read.
  await writeFile(path, how === 'garbled' ? bytes.fill(0xff, 30, 90) : bytes.subarray(0, 60));
}

/** Puts a plugin straight into a site. */
export async function writePlugin(
  site: { root: string },
  name: string,
  version: string,
  options: PluginOptions = {},
): Promise<void> {
  await writeBelow(join(site.root, 'wp-content/plugins'), pluginFiles(name, version, options));
}

/** Puts a theme straight into a site. */
export async function writeTheme(
  site: { root: string },
  slug: string,
  version: string,
  options: ThemeOptions = {},
): Promise<void> {
  await writeBelow(join(site.root, 'wp-content/themes'), themeFiles(slug, version, options));
}

async function writeBelow(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
