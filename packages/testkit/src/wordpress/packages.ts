import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeZip } from '../zip.ts';
import { writeCoreZip } from './core-zip.ts';
import {
  createPluginFiles,
  createThemeFiles,
  type PluginOptions,
  type ThemeOptions,
} from './fixtures.ts';

/**
 * `true`: the zip is truncated and WordPress cannot open it. `garbled`: WordPress unpacks an empty file,
 * replaces the plugin with it and reports success.
 */
export type Corrupt = boolean | 'garbled';

/** Creates packages like those of wordpress.org. Each method returns the URL of the package. */
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
  /** A package with any files. */
  files(name: string, files: Record<string, string>): Promise<string>;
  stop(): Promise<void>;
};

/** Serves a folder on loopback. Core packages are large, so all test files share one copy in the bed's folder. */
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
    // Ignore errors: the client may disconnect.
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
      const packageUrl = await publish(zip, createPluginFiles(name, version, options));
      if (corrupt) await breakZip(join(folder, zip), corrupt);
      return packageUrl;
    },
    theme: (slug, version, options = {}) =>
      publish(`theme-${slug}-${version}.zip`, createThemeFiles(slug, version, options)),
    async corePackage(version) {
      const zip = `core-${version}.zip`;
      await writeCoreZip(join(bedFolder, zip), version);
      return `${url}/${zip}`;
    },
    files: publish,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function breakZip(path: string, corrupt: Corrupt): Promise<void> {
  const bytes = await readFile(path);
  // `garbled` keeps the directory at the end of the zip, so that opening the zip still succeeds.
  await writeFile(path, corrupt === 'garbled' ? bytes.fill(0xff, 30, 90) : bytes.subarray(0, 60));
}

/** Writes a plugin directly into a site. */
export async function writePlugin(
  site: { root: string },
  name: string,
  version: string,
  options: PluginOptions = {},
): Promise<void> {
  await writeFiles(
    join(site.root, 'wp-content/plugins'),
    createPluginFiles(name, version, options),
  );
}

/** Writes a theme directly into a site. */
export async function writeTheme(
  site: { root: string },
  slug: string,
  version: string,
  options: ThemeOptions = {},
): Promise<void> {
  await writeFiles(join(site.root, 'wp-content/themes'), createThemeFiles(slug, version, options));
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
