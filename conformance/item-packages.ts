import { BulkUpdateResponse, type InstallItem, type ItemUpdateResult } from '@steward/contract';
import Value from 'typebox/value';
import { expect } from 'vitest';
import type { PackageServer } from './package-server.ts';
import type { SiteCaller } from './site-caller.ts';
import { buildZip, type ZipEntry } from './zip.ts';

export const pluginFile = (name: string, version: string) =>
  `<?php\n/**\n * Plugin Name: ${name}\n * Version: ${version}\n */\n`;

/** The files of the plugin `<name>/<name>.php`. */
export const pluginFiles = (name: string, version: string): ZipEntry[] => [
  { name: `${name}/${name}.php`, content: pluginFile(name, version) },
  { name: `${name}/includes/more.txt`, content: 'more' },
];
export const themeFiles = (slug: string, version: string): ZipEntry[] => [
  { name: `${slug}/style.css`, content: `/*\nTheme Name: ${slug}\nVersion: ${version}\n*/\n` },
  { name: `${slug}/index.php`, content: '<?php\n' },
];

/** Sends install and restore calls, and checks what all their responses have in common. */
export function createPackageCaller(caller: SiteCaller, getServer: () => PackageServer) {
  async function send(path: 'install' | 'restore', items: object[]): Promise<BulkUpdateResponse> {
    const { status, body } = await caller.call(path, { items });
    expect([status, body.error]).toEqual([200, undefined]);
    expect(Value.Check(BulkUpdateResponse, body)).toBe(true);
    return body as unknown as BulkUpdateResponse;
  }

  return {
    send,

    /** Returns the only result of the call. */
    async sendOne(path: 'install' | 'restore', item: object): Promise<ItemUpdateResult> {
      const { success, results, errors } = await send(path, [item]);
      const [result, ...others] = [...results.plugins, ...results.themes];
      expect([others, results.core]).toEqual([[], null]);
      expect(success).toBe(result?.success);
      const failures = errors.filter(({ type }) => type !== 'system');
      expect(failures.map(({ error }) => error)).toEqual(result?.success ? [] : [result?.error]);
      return result as ItemUpdateResult;
    },

    /** Publishes a package with these files and returns the item that installs it. */
    createPackagedItem(
      type: InstallItem['type'],
      slug: string,
      version: string,
      files: ZipEntry[],
    ): InstallItem & Required<Pick<InstallItem, 'package'>> {
      return { type, slug, version, package: getServer().publish(buildZip(files)) };
    },

    async findReported(slug: string) {
      const { plugins = [], themes = [] } = (await caller.site.readReports()).at(-1) ?? {};
      return (
        plugins.find((item) => item.plugin === slug) ?? themes.find((item) => item.slug === slug)
      );
    },
  };
}
