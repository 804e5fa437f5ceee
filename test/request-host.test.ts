import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FEATURES = 'packages/panel/src/features';

/** Each compares the host or passes it to `assertPanelReachable`, which only refuses requests. */
const READERS = [
  `${FEATURES}/runs/package-runs.routes.ts`,
  `${FEATURES}/wordpress-plugin/plugin-link.routes.ts`,
  `${FEATURES}/wordpress-plugin/wordpress-plugin.routes.ts`,
  'packages/panel/src/http/same-origin.ts',
];

const READS_HOST =
  /\b(?:request|req|raw)\??\.(?:host|hostname|protocol|originalUrl)\b|\bheaders\??\.(?:host|forwarded|origin)\b|x-forwarded-(?:host|proto|port)|['"]host['"]\]|async \(\{[^}]*\b(?:host|hostname|protocol)\b/;

describe('the host of a request', () => {
  it('is read only where it is checked: links use BASE_URL', () => {
    const files = globSync('packages/panel/src/{http,features,*.ts}/**/*.ts', { cwd: ROOT });
    expect(files.length).toBeGreaterThan(300);
    const readers = files.filter(
      (file) =>
        !file.endsWith('.test.ts') && READS_HOST.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(readers.sort()).toEqual(READERS);
  });

  it('makes no command of the screens', () => {
    const files = globSync('packages/web/src/**/*.{ts,tsx}', { cwd: ROOT });
    const readers = files.filter((file) =>
      /\blocation\.(?:origin|host|hostname)\b/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(readers).toEqual([]);
  });
});
