import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { type LicensedSiteOptions, useLicensedSite } from './use-licensed-site.ts';

/** Starts a licensed site, and checks after every test that an update left no lock, backup or maintenance mode. */
export function useUpdatedSite(options?: LicensedSiteOptions) {
  const wordpress = useLicensedSite(options);
  const status = async (path: string) => (await fetch(wordpress.site.url + path)).status;

  afterEach(async () => {
    const { root, getOption } = wordpress.site;
    expect(existsSync(join(root, '.maintenance'))).toBe(false);
    expect(await getOption('steward.lock')).toBeUndefined();
    expect(await getOption('auto_updater.lock')).toBeUndefined();
    const names = (await readdir(await wordpress.stateFolder())).toSorted();
    // Verdicts and errors are kept.
    expect(names.filter((name) => !/^(last-verdict|errors)\./.test(name))).toEqual([
      '.htaccess',
      'index.php',
      'lock',
    ]);
    expect(await status('/')).toBe(200);
  });

  return Object.assign(wordpress, { status });
}
